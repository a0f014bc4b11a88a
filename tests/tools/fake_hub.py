"""A small model hub on 127.0.0.1 that behaves like the real one, with faults on demand: files below
/ORG/REPO/resolve/REVISION/, commits, etags, ranges, and large files by a redirect to another server
(the "CDN"). Used by test_models.py."""
import hashlib
import http.server
import os
import threading


def blob_id(data):
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # a client that went away


class Hub:
    """repos: {"ORG/REPO": {"commit": ..., "files": {name: bytes}}}. The other attributes are faults
    that a test sets."""

    def __init__(self):
        self.repos = {}
        self.requests = []  # (server, path, headers)
        self.refuse = {}    # repo -> (status, error code or None)
        # file -> list of numbers of bytes after which the next answers break off
        self.cut = {}
        self.hang = {}      # file -> number of bytes after which the answer stops for good
        self.corrupt = set()  # files whose bytes are others than their checksum says
        self.status = {}    # file -> list of statuses that the next answers have
        self.linked_size = {}  # file -> what the hub says of its size
        self.location = {}  # file -> where it redirects to
        self.chunked = {}   # file -> number of bytes, sent without a Content-Length
        # file -> number of bytes, sent without a Content-Length and as if that were all
        self.close_early = {}
        self.etags = True
        self.lock = threading.Lock()
        self.released = threading.Event()
        self.servers = []
        for name in ("hub", "cdn"):
            server = Server(("127.0.0.1", 0), type(name, (Handler,), {"hub": self, "name": name}))
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
            self.servers.append(server)
        self.url, self.cdn = ("http://127.0.0.1:%d" % s.server_address[1] for s in self.servers)

    def close(self):
        self.released.set()
        for server in self.servers:
            server.shutdown()
            server.server_close()

    def add(self, repo, folder=None, files=None, commit="c" * 40):
        found = dict(files or {})
        for at, _, names in os.walk(folder) if folder else ():
            for name in names:
                with open(os.path.join(at, name), "rb") as f:
                    found.setdefault(os.path.relpath(os.path.join(at, name), folder), f.read())
        self.repos[repo] = {"commit": commit, "files": found}

    def asked(self, server, file):
        return [r for r in self.requests if r[0] == server and r[1].endswith("/" + file)]

    def next_of(self, table, file):
        with self.lock:
            rest = table.get(file)
            return rest.pop(0) if rest else None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def end(self, status, headers=(), body=b""):
        self.send_response(status)
        for key, value in headers:
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        hub = self.hub
        with hub.lock:
            hub.requests.append((self.name, self.path, dict(self.headers)))
        try:
            if self.name == "cdn" or self.path.startswith("/api/resolve-cache/"):
                parts = self.path.split("/", 5 if self.name == "hub" else 4)
                repo, file = "/".join(parts[-3:-1]), parts[-1]
                self.content(repo, file, '"cdn-%s"' % hashlib.md5(
                    hub.repos[repo]["files"][file]).hexdigest())
            else:
                self.resolve()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def resolve(self):
        hub, parts = self.hub, self.path.split("/", 5)
        if len(parts) < 6 or parts[3] != "resolve":
            return self.end(404)
        repo, revision, file = "/".join(parts[1:3]), parts[4], parts[5]
        if repo in hub.refuse:
            status, code = hub.refuse[repo]
            return self.end(status, [("X-Error-Code", code)] if code else [], b"no")
        if repo not in hub.repos:
            return self.end(401, [("X-Error-Code", "RepoNotFound")], b"Invalid username or "
                                                                     b"password.")
        commit, files = hub.repos[repo]["commit"], hub.repos[repo]["files"]
        if revision not in ("main", "v1", "a%2Fb", commit):
            return self.end(404, [("X-Error-Code", "RevisionNotFound")])
        if file not in files:
            return self.end(404, [("X-Error-Code", "EntryNotFound"), ("X-Repo-Commit", commit)],
                            b"Entry not found")
        status = hub.next_of(hub.status, file)
        if status:
            return self.end(status, [], b"x" * 3000)
        data, headers = files[file], [("X-Repo-Commit", commit)]
        if file in hub.location:
            return self.end(302, headers + [("Location", hub.location[file])])
        if file.endswith(".safetensors"):
            if hub.etags:
                headers += [("X-Linked-ETag", '"%s"' % hashlib.sha256(data).hexdigest()),
                            ("X-Linked-Size", str(hub.linked_size.get(file, len(data))))]
            return self.end(302, headers + [("Location", "%s/%s/%s" % (hub.cdn, repo, file))])
        if file == "vocab.txt":
            return self.end(307, headers + [("Location",
                                             "/api/resolve-cache/%s/%s" % (repo, file)),
                                             ("X-Linked-ETag", '"%s"' % blob_id(data))])
        self.content(repo, file, 'W/"%s"' % blob_id(data) if file == "tokenizer_config.json"
                     else '"%s"' % blob_id(data), headers)

    def content(self, repo, file, etag, headers=()):
        hub = self.hub
        data = hub.repos[repo]["files"][file]
        if file in hub.corrupt:
            data = bytes([data[0] ^ 1]) + data[1:]
        if file in hub.chunked or file in hub.close_early:
            return self.without_length(file, data, etag)
        begin, asked = 0, self.headers.get("Range")
        if asked and self.headers.get("If-Range", etag) == etag:
            begin = int(asked[len("bytes="):].rstrip("-"))
        if begin >= len(data) > 0:
            return self.end(416)
        self.send_response(206 if begin else 200)
        for key, value in headers:
            self.send_header(key, value)
        if hub.etags:
            self.send_header("ETag", etag)
        if begin:
            self.send_header("Content-Range", "bytes %d-%d/%d" % (begin, len(data) - 1, len(data)))
        self.send_header("Content-Length", str(len(data) - begin))
        self.end_headers()
        cut, hang = hub.next_of(hub.cut, file), hub.hang.get(file)
        stop = cut if cut is not None else hang
        self.wfile.write(data[begin:] if stop is None else data[begin:begin + stop])
        if stop is None:
            return
        self.wfile.flush()
        if cut is None:
            hub.released.wait(60)
        self.close_connection = True

    def without_length(self, file, data, etag):
        self.send_response(200)
        self.send_header("ETag", etag)
        if file in self.hub.close_early:
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(data[:self.hub.close_early[file]])
            self.close_connection = True
            return
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        left, piece = self.hub.chunked[file], b"x" * 65536
        while left > 0:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            left -= len(piece)
        self.wfile.write(b"0\r\n\r\n")
