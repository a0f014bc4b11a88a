"""Words and sentence frames of generated.py: names by split, and for each claim the ways to say it.
The frames are written for this project, in the style of engineers' notes. Each list is divided
among the splits (generated.deal), so that no two splits share a frame or a name. Frames begin in
lower case; {s} is the subject."""

NAMES = {
    "train": (
        "Alder Basalt Bramble Cairn Calypso Cedar Cinder Clove Cobalt Condor Copper Coral Cypress "
        "Dahlia Delphi Dorado Drift Echo Ember Falcon Fathom "
              "Fern Flint Garnet Gecko Ginger Granite Harbor Hazel Heron Hickory Hollow Indigo "
              "Iris Ivory Jasper Juniper Kestrel Kodiak Lagoon Larch Laurel "
              "Lichen Linden Lotus Lynx Magpie Mallow Marble Marlin Mesa Mica Mistral Monarch "
              "Nettle Nimbus Oakum Obsidian Ochre Onyx Opal Osprey Otter "
              "Pebble Pelican Peridot Petrel Pewter Poplar Quarry Quartz Quill Raven Reed Ridge "
              "Rowan Saffron Sage Sandpiper Sequoia Shale Sierra Sorrel "
              "Sparrow Sumac Talon Tamarack Teal Thistle Timber Topaz Tundra Umber Vesper Walnut "
              "Willow Wren Yarrow Zephyr Zinnia").split(),
    "dev": ("Acacia Birch Bluff Canyon Crane Delta Dune Elder Finch Fjord Gull Hemlock Isthmus "
            "Jade Kelp Lupin Moraine Nutmeg Orchid Plover Rime Slate").split(),
    "test": ("Amber Argon Badger Cove Curlew Dogwood Estuary Foxglove Glacier Hornbeam Ibis "
             "Jackdaw Knoll Lapwing Meadow Narwhal Olive Puffin Sable Tern").split()}
NOUNS = (
    "gateway importer scheduler indexer exporter worker proxy ledger mailer crawler archive "
    "planner registry broker collector renderer resolver uploader "
    "dispatcher notifier compactor validator transcoder reconciler aggregator publisher").split()
OPENERS = ("according to the runbook, ", "per the design notes, ", "as the code stands, ",
           "seen in the logs: ", "from the handover: ", "noted in review: ",
           "today ", "as far as the config goes, ", "checked on the host: ",
           "the readme says that ", "confirmed with the team: ", "in practice ", "for the record, ",
           "reading the source shows that ", "the manifest says that ")

QUANTITIES = {  # claim: (frames, amounts)
    "timeout": (("{s} gives up on a request after {v}", "the timeout of {s} is {v}",
                 "a call to {s} is cut off after {v}",
                 "{s} waits {v} for an answer before it reports an error",
                 "requests to {s} time out after {v}", "{s} was configured with a timeout of {v}",
                 "when nothing has come back within {v}, {s} drops the call",
                 "{v} is how long {s} waits for a reply",
                 "callers get an error when {s} has not answered in {v}",
                 "the deadline of a call to {s} was set to {v}",
                 "{s} hangs up on a silent peer after {v}",
                 "a request that {s} has not served in {v} fails",
                 "{s} allows {v} for a response and no more",
                 "no reply from {s} in {v} counts as a failure",
                 "the client side of {s} abandons a call once {v} are over"),
                [(n, "s") for n in (5, 10, 15, 20, 30, 45, 60, 90, 120)]
                + [(n, "ms") for n in (200, 250, 500, 750, 1500, 2500)]),
    "interval": (("{s} refreshes its cache every {v}",
                  "the cache of {s} is rebuilt once every {v}",
                  "between two refreshes of its cache {s} lets {v} pass",
                  "{s} has a cache refresh interval of {v}",
                  "every {v} the cached entries of {s} are loaded anew",
                  "cached data in {s} is renewed each {v}",
                  "it takes {v} until {s} renews its cache again",
                  "cache refreshes of {s} are {v} apart",
                  "{s} reloads what it has cached at intervals of {v}",
                  "{v} after a refresh {s} refreshes its cache again"),
                 [(n, "minutes") for n in (5, 10, 15, 20, 30, 45, 90)]
                 + [(n, "hours") for n in (2, 3, 4, 6, 8, 12, 36)]),
    "retention": (("{s} keeps its audit log for {v}", "audit records of {s} are deleted after {v}",
                   "the audit log of {s} reaches back {v}",
                   "{v} is the retention of the audit log in {s}",
                   "{s} throws audit records away once they are {v} old",
                   "an audit entry lives {v} in {s}",
                   "after {v} {s} purges an audit entry",
                   "{s} retains audit data for {v}, then it is wiped",
                   "the retention of audit data was fixed at {v} for {s}",
                   "nothing in the audit log of {s} is older than {v}, and nothing younger is "
                   "removed"),
                  [(n, "days") for n in (7, 10, 14, 21, 28, 30, 45, 60, 90, 180)]
                  + [(n, "weeks") for n in (2, 3, 4, 6, 8, 12)]),
    "upload": (("{s} refuses uploads of more than {v}", "the largest upload that {s} takes is {v}",
                "uploads to {s} may have {v} at most",
                "{v} is the size limit for an upload to {s}",
                "a file over {v} is turned away by {s}", "{s} caps the body of an upload at {v}",
                "files of up to {v} can be sent to {s}, larger ones cannot",
                "the upload limit of {s} stands at {v}",
                "whoever sends {s} more than {v} gets a 413", "beyond {v} an upload to {s} fails"),
               [(n, "MB") for n in (5, 10, 25, 50, 100, 250, 1500)]
               + [(n, "MiB") for n in (4, 8, 16, 32, 64)] + [(n, "GB") for n in (1.5, 2, 4)]),
    "memory": (("{s} runs with a heap of {v}", "the heap of {s} is {v}",
                "{s} was given {v} of heap", "we start {s} with {v} for its heap",
                "{v} of memory are set aside for the heap of {s}", "heap size in {s}: {v}",
                "the heap setting of {s} reads {v}",
                "in {s} the heap takes up {v}", "{s} starts with its heap fixed at {v}",
                "for the heap {s} reserves {v}"),
               [(n, "GiB") for n in (1.5, 2, 3, 4, 6, 8, 12, 16)]
               + [(n, "MiB") for n in (256, 512, 768)]),
}

BOUNDED = {  # how many there are at any time: {q} is filled with a bound; whole numbers
    "replicas": ("{s} runs {q} replicas at any time", "at any moment {q} replicas of {s} are up",
                 "the number of running replicas of {s} is {q}",
                 "you will find {q} replicas of {s} up whenever you look",
                 "{s} is served by {q} replicas around the clock",
                 "{q} replicas make up {s}, day and night",
                 "the replica count of {s} always is {q}", "{s} is kept at {q} replicas",
                 "there are {q} live replicas of {s} at all hours",
                 "{s} holds its replica count at {q}"),
    "sessions": ("{s} has {q} open database connections at any time",
                 "the pool of {s} always holds {q} connections",
                 "{q} connections are open in the pool of {s} at all times",
                 "at every moment the connection pool of {s} counts {q}",
                 "{s} keeps {q} connections to the database open, always",
                 "whenever one counts, {s} has {q} connections open",
                 "the number of open connections of {s} is {q}, whatever the load",
                 "{q} database connections belong to {s} at any moment",
                 "{s} is kept at {q} open connections", "the pool size of {s} is {q} throughout"),
}
BOUNDS = {
    "least": ("at least {a}", "no fewer than {a}", "{a} or more", "not less than {a}",
              "a minimum of {a}", "{a} or even more", "never fewer than {a}",
              "{a} and possibly more",
              "a floor of {a}", "not under {a}"),
    "most": ("at most {b}", "no more than {b}", "{b} or fewer", "up to {b}", "a maximum of {b}",
             "{b} or even fewer", "never more than {b}", "{b} and possibly fewer",
             "a ceiling of {b}", "not over {b}"),
    "between": ("between {a} and {b}", "{a} to {b}", "from {a} to {b}",
                "at least {a} and at most {b}", "{a} up to {b}", "somewhere from {a} to {b}",
                "{a} or more but not over {b}",
                "not under {a} and not over {b}", "anything between {a} and {b}",
                "{a} at the bottom and {b} at the top,"),
    "exact": ("{a}", "exactly {a}", "precisely {a}", "{a}, no more and no less,", "just {a}",
              "a constant {a}", "a steady {a}", "a fixed number of {a}", "always the same {a}",
              "neither more nor fewer than {a}"),
}

LISTS = {  # claim: (items, closed, holds, lacks, some)
    "formats": ("CSV,JSON,XML,Avro,Parquet,YAML,TOML,ORC,Protobuf,MessagePack,CBOR,Excel".split(
        ","), (
        "{s} accepts only {l}", "the input formats of {s} are {l}, and nothing else",
        "{l} are all the formats that {s} can read", "apart from {l} no format is read by {s}",
        "{s} reads {l} and rejects every other format",
        "there are exactly these input formats for {s}: {l}", "input to {s} has to be {o}",
        "{s} knows no formats but {l}",
        "whatever is not {o} is refused by {s}", "the full list of formats of {s} is {l}"), (
        "{s} accepts {x}", "{x} files can be fed to {s}", "you can send {x} to {s}",
        "{s} reads {x} without trouble", "{x} is among the formats that {s} takes",
        "input in {x} is fine for {s}", "{s} has a reader for {x}",
        "{x} input is supported by {s}", "one may hand {s} a file in {x}", "{s} parses {x}"), (
        "{s} does not accept {x}", "{x} files are refused by {s}",
        "sending {x} to {s} gives an error", "{s} cannot read {x}",
        "{x} is no format that {s} takes",
        "input in {x} is turned away by {s}", "{s} has no reader for {x}",
        "{x} input is unsupported in {s}", "one cannot hand {s} a file in {x}",
        "{s} fails on any {x}")),
    "regions": (
        ("Frankfurt,Dublin,Singapore,Sydney,Oregon,Ohio,Mumbai,Tokyo,Montreal,Stockholm,Milan,"
         "Seoul").split(","), (
        "{s} is deployed only in {l}", "{l} are the only regions of {s}",
        "there is no region with {s} besides {l}", "{s} exists in {l} and nowhere else",
        "all the regions that {s} runs in are {l}", "outside {l} one finds no trace of {s}",
        "{s} exists in no region other than {l}", "{s} runs in these regions and no others: {l}",
        "the complete set of regions of {s} is {l}", "we roll {s} out to {l}, full stop"), (
        "{s} is deployed in {x}", "{x} has a copy of {s}", "there is an instance of {s} in {x}",
        "{s} runs in {x}", "{x} is one of the regions of {s}",
        "you reach {s} in {x} too", "we serve {s} from {x}", "{s} is present in {x}",
        "among its regions {s} has {x}", "{x} users are served by a local copy of {s}"), (
        "{s} is not deployed in {x}", "{x} has no copy of {s}",
        "there is no instance of {s} in {x}", "{s} does not run in {x}",
        "{x} is none of the regions of {s}",
        "you cannot reach {s} in {x}", "we do not serve {s} from {x}", "{s} is absent from {x}",
        "among its regions {s} lacks {x}", "{x} users are served without a local copy of {s}")),
}

SETTINGS = {
    # a setting with a value of a kind: (frames with {v} and an optional {w} for where, values)
    "log level": (("{s} logs at level {v}{w}", "the log level of {s} is {v}{w}",
                   "{s} is set to log {v}{w}", "{v} is the log level in {s}{w}",
                   "logging of {s} stands at {v}{w}",
                   "{s} writes its log at {v}{w}", "for its log {s} uses level {v}{w}",
                   "the verbosity of {s} is {v}{w}", "{s} comes up with log level {v}{w}",
                   "logs of {s} are kept at {v}{w}"), "debug info warning error trace".split()),
    "storage": (("{s} stores its data in {v}{w}", "the database of {s} is {v}{w}",
                 "{s} sits on {v}{w}", "{v} is what {s} persists to{w}",
                 "{s} writes its rows to {v}{w}",
                 "data of {s} lives in {v}{w}", "{s} uses {v} as its database{w}",
                 "behind {s} there is {v}{w}", "{s} is backed by {v}{w}",
                 "{v} holds the data of {s}{w}"),
                "PostgreSQL MySQL SQLite CockroachDB MongoDB DynamoDB Cassandra MariaDB".split()),
    "queue": (("{s} takes its jobs from {v}{w}", "the job queue of {s} is {v}{w}",
               "{s} listens to {v} for jobs{w}", "jobs reach {s} over {v}{w}",
               "{v} feeds {s} with jobs{w}",
               "{s} is driven by a queue in {v}{w}", "{s} pulls work from {v}{w}",
               "work for {s} is queued in {v}{w}", "for its job queue {s} uses {v}{w}",
               "{v} carries the jobs of {s}{w}"),
              "Kafka RabbitMQ NATS Pulsar SQS Redis".split()),
    "port": (("{s} listens on port {v}{w}", "the port of {s} is {v}{w}",
              "{s} can be reached on port {v}{w}", "{s} binds to {v}{w}",
              "clients connect to port {v} of {s}{w}",
              "{s} opens port {v}{w}", "traffic for {s} arrives at port {v}{w}",
              "point your client at port {v} of {s}{w}", "{v} is the port that {s} serves on{w}",
              "{s} serves its API on {v}{w}"),
             "8080 8443 9090 7000 5050 6060 8888 9443 3000 4317".split()),
    "compression": (("{s} compresses its snapshots with {v}{w}",
                     "snapshots of {s} are packed by {v}{w}",
                     "the snapshot compression of {s} is {v}{w}",
                     "{v} is what {s} packs snapshots with{w}",
                     "{s} writes snapshots in {v}{w}", "for snapshots {s} relies on {v}{w}",
                     "a snapshot of {s} is a {v} stream{w}",
                     "{s} shrinks snapshots by means of {v}{w}",
                     "snapshot files of {s} are {v}-compressed{w}",
                     "{s} has {v} configured for snapshots{w}"),
                     "gzip zstd lz4 brotli snappy xz".split()),
}
PLACES = {  # qualifiers that do not overlap, by kind
    "environment": ("in staging", "in production", "on the dev cluster", "in CI",
                    "in the preview environment", "on the load-test rig",
                    "in the demo environment", "on the canary hosts",
                    "in the training sandbox", "in the disaster-recovery site"),
    "region": ("in eu-west-1", "in us-east-1", "in ap-southeast-2", "in eu-central-1",
               "in us-west-2", "in sa-east-1", "in ca-central-1", "in eu-north-1", "in ap-south-1",
               "in me-south-1"),
    "platform": ("on Linux", "on Windows", "on macOS", "on Android", "on iOS", "on FreeBSD",
                 "on ARM boards", "in the browser", "on z/OS", "on Solaris"),
    "tenant": ("for tenant Acorn", "for tenant Briar", "for tenant Quince", "for tenant Sycamore",
               "for the trial tenants", "for the enterprise tenants", "for the internal tenant",
               "for tenant Medlar", "for tenant Tansy", "for tenant Damson"),
    "version": ("in version 1", "in version 2", "in version 3", "in version 4", "in version 5",
                "in release 2019", "in release 2021", "in release 2023", "in the 0.9 line",
                "in the 7.x line"),
}
EVERYWHERE = ("everywhere", "in every environment and for everyone", "without exception",
              "wherever it runs", "in all places alike", "whatever the environment or tenant",
              "on every platform",
              "in each and every installation", "no matter where", "across the board")
DEFAULTS = ("by default {c}", "out of the box {c}", "unless configured otherwise, {c}",
            "when nothing is set, {c}", "with the stock settings {c}",
            "without any configuration {c}",
            "left as it comes, {c}", "if no override is given, {c}",
            "in its default configuration {c}", "as shipped, {c}")
OVERRIDES = ("an override is set {w}, with which {c}", "{w} the default is overridden: {c}",
             "the default does not hold {w}, where {c}", "by an explicit setting {w}, {c}",
             "{w} an operator changed the default, so {c}", "{w} somebody set it by hand, and {c}",
             "the stock setting was replaced {w}; there {c}",
             "a config file {w} sees to it that {c}",
             "{w} a flag departs from the default, so that {c}",
             "a local override has the effect that {w} {c}")

NOT_NOW = {  # {c} is a claim in a clause of its own, true at another time or only in a mind
    "planned": ("it is planned that next year {c}", "the roadmap for next year has it that {c}",
                "a proposal not yet accepted says that {c}", "from the next major release on, {c}",
                "we want to reach a state in which {c}",
                "the target design, not started yet, is that {c}",
                "in two years, if the budget allows, {c}", "the draft RFC would have it that {c}",
                "some day, it is hoped, {c}",
                "once the migration that is planned for next year is over, {c}"),
    "rejected": ("the idea that {c} was rejected", "a proposal by which {c} was turned down",
                 "we discussed and dropped a design in which {c}",
                 "the variant in which {c} lost the vote",
                 "somebody suggested that {c}; the answer was no",
                 "it was considered, and decided against, that {c}",
                 "a prototype in which {c} was thrown away",
                 "the review refused the change after which {c}",
                 "the option that {c} was ruled out", "a patch so that {c} was never merged"),
    "historic": ("years ago it was true that {c}; it no longer is",
                 "the old wiki, outdated now, says that {c}",
                 "before the rewrite one could say that {c}, which ended then",
                 "in the first release, long gone, {c}",
                 "up to the migration three years ago it held that {c}, not since",
                 "it used to be so that {c}", "formerly, not any more, {c}",
                 "in the days of the old data centre, now closed, {c}",
                 "a retired document states of the past that {c}",
                 "until the redesign of 2017, and only until then, {c}"),
}

STEPS = ("the schema migration", "the cache warm-up", "the health check", "the config reload",
         "the index rebuild", "the smoke test", "the certificate renewal", "the backup",
         "the traffic switch", "the lock release", "the signature check", "the virus scan",
         "the quota check", "the audit entry", "the image pull", "the seed import")
BEFORE = ("in {s}, {x} comes before {y}", "{s} does {x} first and {y} afterwards",
          "in {s}, {y} comes after {x}", "{s} starts {y} only once {x} is over",
          "{x} precedes {y} in {s}",
          "{s} runs {x}, and then {y}", "{y} follows {x} when {s} deploys",
          "in {s} {y} has to wait for {x}", "{s} finishes {x} ahead of {y}",
          "by the time {s} gets to {y}, {x} is done",
          "the order in {s} is {x}, then {y}", "not before {x} is through does {s} begin {y}",
          "{s} puts {x} in front of {y}", "{s} leaves {y} until after {x}",
          "in {s} {x} is the step ahead of {y}")

THINGS = ("endpoints", "topics", "jobs", "tables", "dashboards", "workers", "buckets", "queues",
          "plugins", "migrations", "alerts", "clients")
MARKS = ("encrypted", "monitored", "documented", "versioned", "rate-limited", "backed up",
         "owned by one team", "covered by tests", "deprecated", "replicated")
QUANTIFIED = {
    "all": ("all {t} of {s} are {m}", "every one of the {t} in {s} is {m}",
            "each of the {t} of {s} is {m}", "there is none among the {t} of {s} that is not {m}",
            "the {t} of {s} are {m} without exception",
            "{s} has no {t} but such as are {m}",
            "no matter which of the {t} of {s} you take, it is {m}",
            "without a single exception the {t} in {s} are {m}",
            "the whole lot of {t} in {s} is {m}",
            "whichever of the {t} one looks at in {s}, it is {m}"),
    "none": ("none of the {t} of {s} is {m}", "not one of the {t} in {s} is {m}",
             "no {t} of {s} are {m}", "there is nothing {m} among the {t} of {s}",
             "of the {t} of {s} not a single one is {m}",
             "{s} has {t}, but none that is {m}", "you will not find any {t} in {s} that are {m}",
             "zero of the {t} in {s} are {m}", "the {t} of {s} are not {m}, any of them",
             "among the {t} in {s} nothing is {m}"),
    "some": ("at least one of the {t} of {s} is {m}", "there are {t} in {s} that are {m}",
             "some of the {t} of {s} are {m}", "in {s} one can find {t} that are {m}",
             "one or more {t} of {s} are {m}",
             "{s} has {t} that are {m}", "a part of the {t} of {s} is {m}",
             "certain {t} in {s} are {m}", "you do find {t} in {s} that are {m}",
             "several of the {t} of {s} are {m}"),
    "some not": ("at least one of the {t} of {s} is not {m}",
                 "there are {t} in {s} that are not {m}", "some of the {t} of {s} are not {m}",
                 "in {s} one can find {t} that are not {m}",
                 "not all {t} of {s} are {m}", "{s} has {t} that are not {m}",
                 "a part of the {t} of {s} is not {m}", "certain {t} in {s} are not {m}",
                 "it is not so that all {t} of {s} are {m}",
                 "several of the {t} of {s} are not {m}"),
}

HABITS = [tuple(pair.split("/")) for pair in (
    "retries failed jobs/retry failed jobs,validates its input/validate its input,caches "
    "answers/cache answers,signs its requests/sign its requests,checks the licence/check the "
    "licence,"
    "logs personal data/log personal data,blocks on the network/block on the network,compacts its "
    "segments/compact its segments,follows redirects/follow redirects,"
    "drops late events/drop late events,rounds amounts/round amounts,escapes its output/escape "
    "its output,rotates its keys/rotate its keys,preserves the order of events/preserve the order "
    "of events,"
    "needs root rights/need root rights,sends e-mail/send e-mail,locks the table/lock the table,"
    "swallows exceptions/swallow exceptions,copies the buffer/copy the buffer,trusts the "
    "header/trust the header").split(",")]
DOES = ("{s} {does}", "{s} does {do}", "{s} never fails to {do}", "it is true that {s} {does}",
        "there is no run in which {s} does not {do}", "one can rely on it: {s} {does}",
        "whoever says that {s} does not {do} is wrong",
        "{s} cannot but {do}", "{s} will {do}, as built",
        "it is not the case that {s} does not {do}",
        "{s} is made to {do}, and that is what happens", "{s} indeed {does}",
        "you can watch how {s} {does}",
        "that {s} does not {do} is a misunderstanding", "yes, {s} {does}")
DOES_NOT = ("{s} does not {do}", "{s} never {does}", "at no point does {s} {do}",
            "it is not true that {s} {does}", "there is no run in which {s} {does}",
            "do not count on it: {s} does not {do}",
            "whoever says that {s} {does} is wrong", "{s} refrains from it and does not {do}",
            "{s} won't {do}, as built", "it is not the case that {s} {does}",
            "nothing in {s} makes it {do}", "in no way does {s} {do}",
            "you will never see how {s} {does}", "that {s} {does} is a misunderstanding",
            "no, {s} does not {do}")
FEATURES = ("request tracing", "response compression", "strict parsing", "write batching",
            "leader election", "lazy loading", "mutual TLS", "hot reload", "query caching",
            "rate limiting", "shadow traffic",
            "dead-lettering", "connection pooling", "schema checking", "debug output",
            "autoscaling")
ON = ("{f} is enabled in {s}", "{s} has {f} turned on", "{f} is active in {s}",
      "{s} runs with {f}", "the flag for {f} is true in {s}", "{s} makes use of {f}",
      "in {s}, {f} is switched on",
      "{f}: on, in {s}", "{s} comes with {f} in force",
      "nobody has disabled {f} in {s}, and it works", "{s} does have {f} on",
      "{f} is in effect for {s}", "{s} keeps {f} on", "you get {f} in {s}",
      "{f} is set to yes in {s}")
OFF = ("{f} is disabled in {s}", "{s} has {f} turned off", "{f} is inactive in {s}",
       "{s} runs without {f}", "the flag for {f} is false in {s}", "{s} makes no use of {f}",
       "in {s}, {f} is switched off",
       "{f}: off, in {s}", "{s} comes with no {f} in force",
       "nobody has enabled {f} in {s}, so there is none", "{s} does not have {f} on",
       "{f} is not in effect for {s}", "{s} keeps {f} off",
       "you get no {f} in {s}", "{f} is set to no in {s}")

TEAMS = ("payments identity search growth platform data mobile billing security logistics catalog "
         "support pricing risk content infrastructure").split()
OWNS = ("the {v} team owns {s}", "{s} belongs to the {v} team",
        "{s} is the responsibility of the {v} team", "the owner of {s} is the {v} team",
        "the {v} team is on call for {s}, alone", "for {s} the {v} team is accountable",
        "{s} is maintained by the {v} team and nobody else", "the one team behind {s} is {v}",
        "in the service catalogue {s} is listed under the {v} team",
        "the {v} team has {s} in its hands")
CITIES = ("Oslo Lisbon Warsaw Vienna Dublin Zurich Prague Helsinki Turin Lyon Bergen Porto Krakow "
          "Graz Ghent Leipzig").split()
STANDS = ("the only site of {s} is {v}", "{s} is hosted in {v} and nowhere else",
          "all machines of {s} stand in {v}", "{s} has its one and only data centre in {v}",
          "the hardware of {s} is in {v}, all of it",
          "{v} is the sole location of {s}", "{s} runs from {v} alone",
          "every host of {s} is in a rack in {v}", "to touch the hosts of {s} you must go to {v}",
          "{s} lives entirely in {v}")

COUNTED = {
    "shards": ("{s} has {n} shards", "{s} is split into {n} shards",
               "the data of {s} is spread over {n} shards", "there are {n} shards in {s}",
               "the number of shards of {s} is {n}", "{n} shards make up {s}",
               "{s} was created with {n} shards", "{s} divides its keys among {n} shards",
               "one counts {n} shards in {s}", "a total of {n} shards belongs to {s}"),
    "approvals": ("a change to {s} needs {n} approvals",
                  "{n} approvals are required to merge into {s}",
                  "{s} cannot be changed with other than {n} approvals",
                  "the number of approvals for {s} is {n}",
                  "before a merge into {s} come {n} approvals",
                  "{s} asks for {n} approvals a change", "merging into {s} takes {n} approvals",
                  "with {n} approvals a change to {s} may go in, not with fewer",
                  "{s} has its rule at {n} approvals",
                  "reviewers of {s} give {n} approvals, then it is merged"),
    "stages": ("the pipeline of {s} has {n} stages", "{s} is built in {n} stages",
               "a build of {s} goes through {n} stages", "{n} stages make the pipeline of {s}",
               "there are {n} stages in the build of {s}",
               "the build of {s} consists of {n} stages", "{s} passes {n} stages on its way out",
               "one counts {n} stages in the pipeline of {s}",
               "the number of build stages of {s} is {n}", "in {n} stages {s} is built"),
}
PERCENT = {1: ("a hundredth", "one in a hundred"), 2: ("a fiftieth", "one in fifty"),
           5: ("a twentieth", "one in twenty"), 10: ("a tenth", "one in ten"),
           20: ("a fifth", "one in five"),
           25: ("a quarter", "one in four"), 40: ("two fifths", "two in five"),
           50: ("half", "one in two"), 60: ("three fifths", "three in five"),
           75: ("three quarters", "three in four"),
           80: ("four fifths", "four in five"), 90: ("nine tenths", "nine in ten")}
SHARES = {
    "sampling": ("{s} traces {p} of all requests", "{p} of the requests to {s} are traced",
                 "tracing in {s} covers {p} of the traffic", "of its requests {s} traces {p}",
                 "the sampling of {s} picks {p} of all calls for a trace",
                 "a trace exists for {p} of the calls to {s}",
                 "{s} samples {p} of what comes in for tracing",
                 "for {p} of its requests {s} writes a trace",
                 "{p} of the traffic of {s} ends up traced", "traces of {s} show {p} of the calls"),
    "hits": ("{p} of the reads in {s} hit the cache", "the cache of {s} answers {p} of all reads",
             "{s} serves {p} of its reads from the cache",
             "of the reads in {s} {p} find a cached value",
             "the hit rate of the cache in {s} is {p} of the reads",
             "{p} of the lookups in {s} need no database, being cached",
             "in {s} the cache takes {p} of the reads",
             "the database is spared {p} of the reads by the cache of {s}",
             "cached values satisfy {p} of the reads of {s}",
             "a cached answer is what {p} of the reads in {s} get"),
}

ARITHMETIC = {
    # claim: (one way to count, the other); the numbers of one follow from those of the other
    "retries": (("{s} retries a failed call {a} times",
                 "after a failed call {s} makes {a} retries",
                 "a call of {s} that failed is tried {a} more times",
                 "{s} has its retries set to {a}", "a failing call gets {a} retries in {s}",
                 "the first try of {s} is followed by {a} retries when all fail",
                 "{s} repeats a failed call {a} times, then gives up",
                 "on failure {s} goes for {a} retries", "the retry count of {s} is {a}",
                 "{a} retries are what {s} allows a failed call"),
                ("{s} makes {a} attempts at a call in all",
                 "a call of {s} fails for good after {a} attempts, the first included",
                 "{s} gives up when the attempt with the number {a} has failed",
                 "all in all {s} makes {a} attempts before it reports an error",
                 "the total of attempts for a call is {a} in {s}",
                 "with {a} attempts, counting the first, {s} is through",
                 "{s} spends {a} attempts on a failing call, the first among them",
                 "counting from the first, {s} stops after {a} attempts",
                 "{a} attempts in total are made by {s}",
                 "no call of {s} sees more or fewer than {a} attempts when all fail")),
    "nodes": (("{s} has {a} shards with {b} replicas each",
               "each of the {a} shards of {s} is kept as {b} replicas",
               "{s} is cut into {a} shards, every one of them with {b} replicas",
               "{a} shards of {b} replicas each make up {s}",
               "{s} runs {a} shards times {b} replicas",
               "per shard, of which there are {a}, {s} has {b} replicas",
               "{s} consists of {a} shards; a shard has {b} replicas",
               "in {s} there are {a} shards, {b} replicas to each",
               "all {a} shards of {s} have {b} replicas",
               "{s}: {a} shards, {b} replicas for every one"),
              ("{s} runs {a} replicas in total", "altogether {s} has {a} replicas",
               "the replicas of {s} add up to {a}", "a total of {a} replicas makes up {s}",
               "counted together, {s} has {a} replicas", "{a} replicas in all belong to {s}",
               "over everything {s} runs {a} replicas", "the sum of all replicas of {s} is {a}",
               "in {s} one counts {a} replicas, all told", "{s} comes to {a} replicas overall")),
    "polling": (("{s} polls the feed every {a} minutes",
                 "the feed is polled by {s} once in {a} minutes",
                 "between two polls of the feed {s} waits {a} minutes",
                 "{s} looks at the feed each {a} minutes", "polls of {s} are {a} minutes apart",
                 "{a} minutes after a poll {s} polls the feed again",
                 "the poll interval of {s} is {a} minutes",
                 "{s} asks the feed at intervals of {a} minutes",
                 "every {a} minutes a poll goes out from {s}",
                 "{s} has {a} minutes as its poll interval"),
                ("{s} polls the feed {a} times an hour",
                 "the feed sees {a} polls an hour from {s}",
                 "{a} times per hour {s} polls the feed",
                 "in an hour {s} polls the feed {a} times", "{s} makes {a} polls an hour",
                 "per hour {s} asks the feed {a} times",
                 "the poll rate of {s} is {a} an hour", "{s} sends the feed {a} requests an hour",
                 "an hour has {a} polls by {s}", "{a} polls go out from {s} in every hour")),
    "backups": (("{s} keeps a backup for {a} days", "backups of {s} are deleted after {a} days",
                 "a backup of {s} lives {a} days", "the retention of backups of {s} is {a} days",
                 "{a} days is how long {s} holds a backup", "after {a} days {s} drops a backup",
                 "{s} throws a backup away when it is {a} days old",
                 "a backup of {s} is there for {a} days, then gone",
                 "backups in {s} expire at {a} days", "{s} has {a} days set for its backups"),
                ("{s} keeps a backup for {a} hours", "backups of {s} are deleted after {a} hours",
                 "a backup of {s} lives {a} hours", "the retention of backups of {s} is {a} hours",
                 "{a} hours is how long {s} holds a backup", "after {a} hours {s} drops a backup",
                 "{s} throws a backup away when it is {a} hours old",
                 "a backup of {s} is there for {a} hours, then gone",
                 "backups in {s} expire at {a} hours", "{s} has {a} hours set for its backups")),
    "hosts": (("{s} consists of {a} web hosts and {b} worker hosts",
               "{a} web hosts and {b} worker hosts make up {s}",
               "{s} has {a} web hosts, {b} worker hosts and nothing more",
               "the machines of {s} are {a} web hosts and {b} worker hosts",
               "for the web {s} has {a} hosts, for jobs {b}, and there are no others",
               "{s} splits its hosts into {a} for the web and {b} for jobs",
               "of its hosts {s} gives {a} to the web and the remaining {b} to jobs",
               "there are {a} web and {b} worker hosts in {s}, no others",
               "{s} is {a} web hosts plus {b} worker hosts",
               "web hosts of {s}: {a}; worker hosts: {b}; others: none"),
              ("{s} has {a} hosts altogether", "all in all {a} hosts belong to {s}",
               "{s} runs on {a} hosts in total", "the hosts of {s} number {a}",
               "a total of {a} hosts serves {s}", "{s} comes to {a} hosts",
               "counting every kind, {s} has {a} hosts",
               "{a} hosts, of whatever kind, make up {s}", "the host count of {s} is {a}",
               "{s} is spread over {a} hosts in all")),
}

COMPARED = [tuple(row.split("/")) for row in ("larger/smaller", "faster/slower", "older/newer",
                                              "cheaper to run/dearer to run", "busier/quieter",
                                              "harder to deploy/easier to deploy",
                                              "more stable/less stable",
                                              "heavier on memory/lighter on memory")]
MORE = ("{x} is {r} than {y}", "of the two, {x} and {y}, the first is {r}",
        "compared with {y}, {x} is {r}", "{x} turns out {r} than {y}",
        "next to {y}, {x} is the {r} one", "{x} is {r} when set against {y}",
        "measured side by side, {x} is {r} than {y}",
        "{y} stands back: {x} is {r}", "{x} beats {y} at being {r}",
        "between {x} and {y}, {x} is what one calls {r}")

MONTHS = (
    "January February March April May June July August September October November December").split()
STARTS = ("{s} has been in service since {d}", "{s} went live in {d}",
          "{s} was first put into service in {d}", "the first day of service of {s} was in {d}",
          "{s} started work in {d}", "it was {d} when {s} came into service",
          "since {d}, and not before, {s} has been running",
          "{d} saw the launch of {s}", "the launch of {s} dates from {d}",
          "nothing of {s} ran before its start in {d}")
ENDS = ("{s} was shut down for good in {d}", "the last day of {s} was in {d}",
        "{s} went out of service in {d}", "{d} was the end of {s}",
        "{s} ran until {d} and no longer", "in {d} {s} was switched off for ever",
        "the service life of {s} ended in {d}",
        "after {d} {s} was gone; that month it was retired", "{s} was retired in {d}",
        "it was in {d} that {s} stopped, finally")
