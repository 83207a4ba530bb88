// Run by hand: measures the cost of adding a key as the key ring grows.
import { Accounts } from './accounts.mjs';
import { Child } from './child.mjs';
import { loadOn } from './load.mjs';
import { CLIENTS } from './stage.mjs';
import { columns } from './table.mjs';

const SIZES = [1, 100, 500, 900];
/** Few enough that the rings hardly grow during the measurement. */
const ADDS_PER_RING = 50;

/** Measures adds from 64 clients on 64 accounts whose rings contain this many keys, and returns a table. */
export async function ringsTable(app) {
  const generator = new Child('./generator.mjs');
  const accounts = await (await Accounts.of(app.url)).make(CLIENTS);
  const clients = accounts.map(({ headers }) => ({ headers }));
  const add = (perRing) => {
    const request = { url: `${app.url}/api/me/sshkey/add`, method: 'POST', clients, keys: perRing };
    return loadOn(app.pid, generator, { ...request, amount: perRing * CLIENTS });
  };
  const lines = [['keys before', 'adds a second', 'p99', 'cpu/request']];
  let keys = 0;
  for (const size of SIZES) {
    await add(size - keys);
    const { perSecond, p99, cpu = NaN } = await add(ADDS_PER_RING);
    lines.push([String(size), String(Math.round(perSecond)), `${p99} ms`, `${Math.round(cpu)} us`]);
    keys = size + ADDS_PER_RING;
  }
  generator.end();
  return columns(lines);
}
