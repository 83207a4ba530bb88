import { describe, expect, it, onTestFinished } from 'vitest';
import { ApiClient } from '../../support/api-client.js';
import { sharedApp } from '../../support/shared-app.js';
import { StandaloneProcess } from '../../support/standalone-process.js';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const KIB = 1_024;

const get = (path: string, headers: Record<string, string> = {}) => api.send({ path, headers });
/** Returns the paths of the files of a page at a path, as browsers resolve them. */
const filesOf = (text: string, path: string) =>
  [...text.matchAll(/[^"]*assets\/[\w.-]+/g)].map(([file]) => new URL(file, `http://host${path}`).pathname);
const page = await get('/@account');
const first = filesOf(page.text, '/@account');

/** Returns the size of a file as it is sent to browsers. */
async function sentSize(path: string): Promise<number> {
  const { headers } = await get(path, { 'accept-encoding': 'gzip, br' });
  return Number(headers['content-length']);
}

it('a browser at the root is sent to the console', async () => {
  const { status, headers } = await get('/', { accept: 'text/html,*/*;q=0.8' });
  expect([status, headers['location'], headers['vary']]).toEqual([302, './@account', 'Accept']);
});

describe('the page', () => {
  it.each(['/@account/', '/@account/accounts/7', '/@account?from=bookmark', '/@accoun%74/profile'])(
    'has the same files at %s',
    async (path) => {
      const { status, text, headers } = await get(path);
      expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(filesOf(text, path).map((file) => file.replace('%74', 't'))).toEqual(first);
      expect(headers['content-security-policy']).toBe(page.headers['content-security-policy']);
    },
  );

  it('may only load its own files and call the API', () => {
    const policy = String(page.headers['content-security-policy']).split(';');
    expect(policy).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "img-src 'self' data:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    expect(page.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
  });

  it('has no code of its own', () => {
    expect(page.text).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=|style=/);
  });
});

describe('the files', () => {
  it('are cached for ever under names that change with them', async () => {
    expect(first.length).toBeGreaterThan(1);
    for (const path of first) {
      const { status, headers } = await get(path);
      expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
      expect(path).toMatch(/-[\w-]{8}\.(js|css)$/);
    }
  });

  it.each([
    ['br', 'gzip, deflate, br, zstd'],
    ['gzip', 'gzip, deflate'],
    [undefined, 'identity'],
  ])('are sent as %s to a browser that accepts %s', async (encoding, accepted) => {
    const { headers } = await get(first[0]!, { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(encoding);
    expect(headers['vary']).toMatch(/accept-encoding/i);
  });

  it('that do not exist get 404', async () => {
    expect((await get('/@account/assets/main.js')).status).toBe(404);
    expect((await get('/@account/assets/..%2findex.html')).status).not.toBe(200);
  });

  it('take 45 KiB at first and 12 KiB for each further screen', async () => {
    const contents = new Map<string, string>();
    const contentOf = async (path: string) => {
      if (!contents.has(path)) contents.set(path, (await get(path)).text);
      return contents.get(path)!;
    };
    /** Returns a file and all that it imports at once. */
    const closureOf = async (path: string, found = new Set<string>()): Promise<Set<string>> => {
      if (found.has(path)) return found;
      found.add(path);
      for (const [, name] of (await contentOf(path)).matchAll(/from"\.\/([\w.-]+)"/g))
        await closureOf(`/@account/assets/${name}`, found);
      return found;
    };
    const sum = async (paths: Iterable<string>) =>
      (await Promise.all([...paths].map(sentSize))).reduce((total, size) => total + size, 0);
    const main = first.find((path) => path.includes('/main-'))!;
    const atFirst = new Set([...first, ...(await closureOf(main))]);
    // An import that the page does not name would take another round trip.
    expect([...atFirst]).toEqual(first);
    expect(await sum(first)).toBeLessThanOrEqual(45 * KIB);
    const later = [...(await Promise.all([...atFirst].map(contentOf))).join('').matchAll(/import\(`\.\/([\w.-]+)/g)];
    expect(later.length).toBeGreaterThan(10);
    for (const [, name] of later) {
      const closure = await closureOf(`/@account/assets/${name}`);
      expect(await sum(closure.difference(atFirst)), name).toBeLessThanOrEqual(12 * KIB);
    }
  });
});

it('without the console, its addresses do not exist', async () => {
  const without = await StandaloneProcess.start({ KEYFOLD_CONSOLE: 'off' });
  onTestFinished(() => without.dispose());
  const off = new ApiClient(without.baseUrl);
  for (const path of ['/@account', '/@account/profile', first[0]!]) expect((await off.get(path)).status).toBe(404);
});
