// npm run dev: runs the standalone app from its sources and restarts it when a source changes. Passes its arguments to Node as flags:
// `npm run dev -- --inspect`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundle, changedSource, isPackage } from './bundle.mjs';

const root = join(import.meta.dirname, '..');
const output = join(root, 'dist/dev/standalone/src');
/** Milliseconds between checks; one check takes a millisecond. Node's recursive watch on Linux misses files that editors replace. */
const POLL_MS = 150;
/** Milliseconds until the app is killed: an app paused at a breakpoint ignores SIGTERM. */
const STOP_MS = 5_000;

let app;
let stopped = Promise.resolve();
let ending = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void end());

for (;;) {
  const began = Date.now();
  const sources = await sourcesOfBuild();
  if (sources) await restart();
  const changed = await nextChange(began, sources);
  console.error(`${changed} changed, building`);
}

/** Builds the app and returns its sources; undefined if the build failed. A running app continues. */
async function sourcesOfBuild() {
  try {
    return await bundle('apps/standalone/src/main.ts', output, isPackage);
  } catch (error) {
    console.error(`${error.message}\nThe build failed, waiting for a change`);
    return undefined;
  }
}

async function nextChange(began, sources) {
  for (;;) {
    // A new file may fix a failed build.
    const changed = changedSource(sources ?? globSync('{apps,libs}/**/*.{ts,tsx,css,html}', { cwd: root }), began);
    if (changed) return changed;
    await sleep(POLL_MS);
  }
}

async function restart() {
  await stop();
  if (ending) return;
  const words = ['--enable-source-maps', ...process.argv.slice(2), join(output, 'main.js')];
  // In its own process group, because otherwise Ctrl-C reaches the app twice, and the second signal ends it at once.
  const started = spawn(process.execPath, words, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
  started.once('exit', (status, signal) => {
    if (app === started) console.error(`The app exited with ${signal ?? `status ${status}`}, waiting for a change`);
  });
  app = started;
}

/** Stops the app; resolves when no app is running. */
function stop() {
  if (!app) return stopped;
  const last = app;
  app = undefined;
  if (last.exitCode === null && last.signalCode === null) {
    stopped = once(last, 'exit');
    last.kill('SIGTERM');
    setTimeout(() => last.kill('SIGKILL'), STOP_MS).unref();
  }
  return stopped;
}

async function end() {
  ending = true;
  await stop();
  process.exit();
}
