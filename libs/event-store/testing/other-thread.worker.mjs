// The other end of `OtherThread`: adapters on connections of their own, as a serving thread has them.
import '../../../test/support/typescript-sources.mjs';
import { createBirpc } from 'birpc';
import { parentPort } from 'node:worker_threads';

const { SqliteConnection } = await import('../src/sqlite/sqlite-connection.ts');

parentPort.on('message', (connected) => void serve(connected));

async function serve({ file, module, port }) {
  const connection = new SqliteConnection(file);
  const classes = await import(module);
  const adapters = new Map();
  const adapterOf = (name) => {
    if (!adapters.has(name)) adapters.set(name, new classes[name](connection));
    return adapters.get(name);
  };
  createBirpc(
    { call: (name, method, args) => outcomeOf(adapterOf(name), method, args), close: () => connection.close() },
    { post: (message) => port.postMessage(message), on: (receive) => port.on('message', receive), timeout: -1 },
  );
}

/** Errors lose their class between threads, so their fields are returned. */
async function outcomeOf(adapter, method, args) {
  try {
    return { result: await adapter[method](...args) };
  } catch (error) {
    return { refusal: { ...error, message: error.message } };
  }
}
