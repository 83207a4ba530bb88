// Reduces package.json to the packages that the built apps load from node_modules, for `npm prune` in deploy/Dockerfile.
import { readFileSync, writeFileSync } from 'node:fs';
import { KEPT } from './bundle.mjs';

const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const { packages } = read('package-lock.json');
const { name, version, type } = read('package.json');
const dependencies = Object.fromEntries(KEPT.map((kept) => [kept, packages[`node_modules/${kept}`].version]));
writeFileSync('package.json', JSON.stringify({ name, version, type, dependencies }, null, 2));
