// Debian's Chromium, without the connections it makes on its own.
import { chromium } from 'playwright-core';

export const launch = (args = []) => chromium.launch({
  executablePath: process.env.LACUNA_CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', ...args,
  ],
});
