// Debian's Firefox through geckodriver: as much of WebDriver as the tests need.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

// No calls home: they would wait for a network that may not be there.
const PREFERENCES = {
  'app.normandy.enabled': false, 'services.settings.server': 'data:,', 'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false, 'browser.safebrowsing.update.enabled': false, 'app.update.auto': false,
};

/** Starts the driver and, through it, the browser. */
export async function firefox() {
  const home = mkdtempSync(join(tmpdir(), 'lacuna-firefox-'));
  const program = process.env.LACUNA_GECKODRIVER ?? 'geckodriver';
  // Port 0: the system gives a free one, and the driver says which.
  const driver = spawn(program, ['--port', '0', '--websocket-port', '0', '--profile-root', home], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise((resolve) => driver.once('close', resolve));
  try {
    const base = `http://127.0.0.1:${await port(driver)}`;
    const options = { binary: process.env.LACUNA_FIREFOX ?? '/usr/bin/firefox-esr', args: ['-headless'], prefs: PREFERENCES };
    const { sessionId, capabilities } = await ask('POST', `${base}/session`, {
      capabilities: { alwaysMatch: { browserName: 'firefox', 'moz:firefoxOptions': options, timeouts: { script: 240_000 } } },
    });
    const at = `${base}/session/${sessionId}`;
    return {
      version: `Firefox ${capabilities.browserVersion}`,
      go: (url) => ask('POST', `${at}/url`, { url }),
      /** Calls `work(...args)` in the page, a function without names from outside; what it resolves to, or its error. */
      evaluate: async (work, ...args) => {
        const script = `const done = arguments[arguments.length - 1];
          Promise.resolve().then(() => (${work})(...Array.from(arguments).slice(0, -1)))
            .then((value) => done({ value }), (error) => done({ error: error + ' ' + (error?.stack ?? '') }));`;
        const { value, error } = await ask('POST', `${at}/execute/async`, { script, args });
        if (error !== undefined) throw new Error(`in the page: ${error}`);
        return value;
      },
      async close() {
        await ask('DELETE', at).finally(() => driver.kill());
        await ended;
        rmSync(home, { recursive: true, force: true });
      },
    };
  } catch (error) {
    driver.kill();
    await ended;
    rmSync(home, { recursive: true, force: true });
    throw error;
  }
}

/** The port the driver says it listens on. */
function port(driver) {
  return new Promise((resolve, reject) => {
    driver.once('error', (error) => reject(new Error(`geckodriver: ${error.message}; \`cargo xtask web browser\` builds it`)));
    driver.once('exit', (code) => reject(new Error(`geckodriver ended with ${code}`)));
    createInterface({ input: driver.stdout }).on('line', (line) => {
      const found = /Listening on 127\.0\.0\.1:(\d+)/.exec(line);
      if (found) resolve(found[1]);
    });
  });
}

async function ask(method, url, body) {
  const response = await fetch(url, { method, body: body && JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  const { value } = await response.json();
  if (!response.ok) throw new Error(`WebDriver: ${value.error}: ${value.message}`);
  return value;
}
