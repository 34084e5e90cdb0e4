// A server of files on the loopback, as simple as any.
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';

const TYPES = {
  '.css': 'text/css', '.gguf': 'application/octet-stream', '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.mjs': 'text/javascript',
  '.json': 'application/json', '.onnx': 'application/octet-stream', '.svg': 'image/svg+xml', '.wasm': 'application/wasm', '.webmanifest': 'application/manifest+json',
};

/** Serves `folder`; `asked` holds the paths asked for. */
export async function files(folder) {
  const asked = [];
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname));
    asked.push(path);
    const at = join(folder, path.endsWith('/') ? `${path}index.html` : path);
    const stat = statSync(at, { throwIfNoEntry: false });
    if (!at.startsWith(folder) || !stat?.isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': TYPES[extname(at)] ?? 'text/plain', 'content-length': stat.size, 'cache-control': 'no-cache' });
    if (request.method === 'HEAD') response.end();
    else createReadStream(at).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    asked,
    close: () => new Promise((resolve) => { server.close(resolve); server.closeAllConnections(); }),
  };
}
