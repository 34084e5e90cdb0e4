// Keeps the page for when there is no network. The model has a place of its own: the package's cache.

const CACHE = 'lacuna-demo-3';
const FILES = [
  './', 'app.js', 'chat.html', 'chat.js', 'labels.js', 'view.js', 'style.css', 'icon.svg', 'manifest.webmanifest',
  ...['index', 'dist/manifest', ...['answer', 'check', 'errors', 'features', 'files', 'instance', 'json', 'lines', 'load', 'node', 'pool', 'redactor', 'thread', 'wasm', 'worker'].map((name) => `src/${name}`)].map((name) => `lacuna-redact/${name}.js`),
  'lacuna-redact/middleware.js', 'lacuna-redact/dist/lacuna.wasm', 'lacuna-redact/dist/lacuna-relaxed.wasm',
];

addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)).then(() => skipWaiting()));
});

addEventListener('activate', (event) => {
  const old = (names) => names.filter((name) => name.startsWith('lacuna-demo-') && name !== CACHE);
  event.waitUntil(caches.keys().then((names) => Promise.all(old(names).map((name) => caches.delete(name)))).then(() => clients.claim()));
});

// The network first, so that nobody is left with an old page; what was kept if there is none.
addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || new URL(request.url).origin !== location.origin) return;
  event.respondWith((async () => {
    const cache = await caches.open(CACHE);
    try {
      const response = await fetch(request);
      if (response.ok && !request.url.endsWith('.gguf')) await cache.put(request, response.clone());
      return response;
    } catch (error) {
      const kept = await cache.match(request, { ignoreSearch: true })
        // `index.html` is the page by another name.
        ?? (request.mode === 'navigate' && new URL(request.url).pathname === new URL('index.html', location.href).pathname ? await cache.match('./') : undefined);
      if (kept) return kept;
      throw error;
    }
  })());
});
