/**
 * Runs the double of OpenList as a process of its own. Prints its address and its static token, each on a line.
 *
 * Usage: node openlist-double.main.mjs [--port <port>] [--token <static token>]
 */
import '../typescript-sources.mjs';
import { parseArgs } from 'node:util';

const { OpenListDouble } = await import('./openlist-double.ts');

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' }, token: { type: 'string' } } });
const double = await OpenListDouble.start({ port: Number(values.port), staticToken: values.token, remembered: 0 });
console.log(`${double.url}\n${double.staticToken}`);
