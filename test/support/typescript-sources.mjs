// Import this first: it lets a program that runs without vitest import the TypeScript sources, whose imports name compiled
// files and the aliases of `tsconfig.json`.
import { existsSync, readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';

const root = new URL('../../', import.meta.url);
const { paths } = JSON.parse(readFileSync(new URL('tsconfig.json', root), 'utf8')).compilerOptions;

registerHooks({
  resolve(specifier, context, next) {
    const source = sourceOf(specifier, context.parentURL);
    return source ? { url: source.href, shortCircuit: true } : next(specifier, context);
  },
  load(url, context, next) {
    if (!url.endsWith('.ts')) return next(url, context);
    // Parameter properties need a real transformation; stripping types is not enough.
    const source = stripTypeScriptTypes(readFileSync(new URL(url), 'utf8'), { mode: 'transform' });
    return { format: 'module', source, shortCircuit: true };
  },
});

function sourceOf(specifier, importer) {
  if (specifier in paths) return new URL(paths[specifier][0], root);
  if (!specifier.startsWith('.')) return undefined;
  const source = new URL(specifier.replace(/\.js$/, '.ts'), importer);
  return source.href.endsWith('.ts') && existsSync(source) ? source : undefined;
}
