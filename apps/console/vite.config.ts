import { defineConfig } from 'vite';

/** `npm run dev:console`: serves the sources with live reload. The API is that of a running service. */
export default defineConfig({
  root: 'apps/console/src',
  base: '/@account/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  server: { proxy: { '^/api/': process.env['KEYFOLD_URL'] ?? 'http://localhost:5244' } },
});
