// A developer's site in a real browser (drive.mjs): a page of another origin than the server, with a microphone.

import {readFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {launch, MICROPHONE, page} from './drive.mjs';

export const packaged = (path) => readFileSync(new URL(`node_modules/${path}`, import.meta.url));

// Opens the page; `find` returns the script that has a path.
export async function openSite(html, find) {
  const server = createServer((request, response) => {
    const script = request.url === '/' ? null : find(request.url);
    response.setHeader('Content-Type', script === null ? 'text/html' : 'text/javascript');
    response.end(script ?? html);
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const site = `localhost:${server.address().port}`;
  await launch({flags: MICROPHONE, site});
  await page.goto(`http://${site}/`);
}
