// Import this first: it lets this folder import the TypeScript sources of test/support, whose imports name compiled
// files.
import { existsSync, readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    const source = specifier.startsWith('.') && sourceOf(new URL(specifier, context.parentURL));
    return source ? { url: source.href, shortCircuit: true } : next(specifier, context);
  },
  load(url, context, next) {
    if (!url.endsWith('.ts')) return next(url, context);
    // Parameter properties need a real transformation; stripping types is not enough.
    const source = stripTypeScriptTypes(readFileSync(new URL(url), 'utf8'), { mode: 'transform' });
    return { format: 'module', source, shortCircuit: true };
  },
});

function sourceOf(url) {
  const source = new URL(url.href.replace(/\.js$/, '.ts'));
  return source.href.endsWith('.ts') && existsSync(source) ? source : undefined;
}
