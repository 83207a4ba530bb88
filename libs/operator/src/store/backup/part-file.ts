import type { Commit } from '@keyfold/event-store';
import { reasonOf } from '@keyfold/reporting';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';
import type { Decryption, Encryption } from './encryption.js';
import { UnusableBackup, type Part } from './manifest.js';

/** Commits of one slot, in the order of its feed. */
export type SlotPage = Readonly<{ slot: number; commits: readonly Commit[] }>;

/** Maximum size of a line. MongoDB stores no larger commit. */
const LINE_BYTES = 16 * 1_048_576;
/** Maximum number of commits, and of bytes of their lines, that are handled at once. */
const PAGE_COMMITS = 2_000;
const PAGE_BYTES = 4 * 1_048_576;
const NEWLINE = 10;

type Bytes = AsyncIterable<Uint8Array>;

/** Writes commits to a new file that only its owner can read. Returns its size and hash. */
export async function writePart(
  path: string,
  pages: AsyncIterable<SlotPage>,
  { apply }: Encryption,
): Promise<Readonly<{ bytes: number; sha256: string }>> {
  const sha256 = createHash('sha256');
  const encrypt = apply ?? ((plain: Bytes) => plain);
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  await pipeline(
    linesOf(pages),
    createGzip(),
    (zipped: Bytes) => encrypt(zipped),
    async function* (written: Bytes) {
      for await (const chunk of written) {
        sha256.update(chunk);
        yield chunk;
      }
    },
    file,
  );
  return { bytes: file.bytesWritten, sha256: sha256.digest('hex') };
}

/** Returns the hash of a file of at most `maxBytes`. */
export async function hashOfFile(
  path: string,
  maxBytes: number,
  passed?: (bytes: number) => Promise<void>,
): Promise<string> {
  const sha256 = createHash('sha256');
  for await (const chunk of createReadStream(path, { end: maxBytes }) as AsyncIterable<Buffer>) {
    sha256.update(chunk);
    await passed?.(chunk.length);
  }
  return sha256.digest('hex');
}

/** Compares the size of a part with the manifest, and its content if `reads`. Throws `UnusableBackup`. */
export async function checkPart(
  folder: string,
  { file, bytes, sha256 }: Part,
  reads: boolean,
  passed?: (bytes: number) => Promise<void>,
): Promise<void> {
  const path = join(folder, file);
  try {
    if ((await stat(path)).size === bytes && (!reads || (await hashOfFile(path, bytes, passed)) === sha256)) return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw new UnusableBackup(`cannot read ${file}: ${reasonOf(error)}. ${USE_ANOTHER_COPY}`);
  }
  throw new UnusableBackup(`${file} is damaged: it is not what the backup wrote. ${USE_ANOTHER_COPY}`);
}

const USE_ANOTHER_COPY = 'Use another copy of the backup';

async function* linesOf(pages: AsyncIterable<SlotPage>): AsyncGenerator<string> {
  for await (const { slot, commits } of pages)
    yield commits.map((commit) => `${JSON.stringify({ slot, commit })}\n`).join('');
}

/** Yields the commits of a part in small pages. Throws `UnusableBackup` for content that no backup writes. */
export async function* readPart(path: string, decrypt: Decryption): AsyncGenerator<SlotPage> {
  let page: Commit[] = [];
  let pageSlot = 0;
  let bytes = 0;
  for await (const line of splitLines(gunzipped(path, decrypt))) {
    const { slot, commit } = parseLine(line);
    if (page.length === PAGE_COMMITS || (page.length > 0 && (slot !== pageSlot || bytes + line.length > PAGE_BYTES))) {
      yield { slot: pageSlot, commits: page };
      page = [];
      bytes = 0;
    }
    pageSlot = slot;
    page.push(commit);
    bytes += line.length;
  }
  if (page.length > 0) yield { slot: pageSlot, commits: page };
}

async function* gunzipped(path: string, decrypt: Decryption): AsyncGenerator<Uint8Array> {
  const zipped = createGunzip();
  const finished = pipeline(createReadStream(path), (encrypted: Bytes) => decrypt(encrypted), zipped).catch(
    (error: unknown) => {
      throw error instanceof UnusableBackup ? error : new UnusableBackup(`cannot unpack a part: ${reasonOf(error)}`);
    },
  );
  // Reported below, after what could be read.
  finished.catch(() => undefined);
  try {
    yield* zipped as AsyncIterable<Buffer>;
  } catch {
    // `finished` has the reason.
  }
  await finished;
}

async function* splitLines(chunks: Bytes): AsyncGenerator<Buffer> {
  let rest: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...rest, chunk.subarray(from, end)]);
      rest = [];
      length = 0;
      from = end + 1;
    }
    rest.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > LINE_BYTES) throw new UnusableBackup('a part has a line of more than 16 MiB');
  }
  if (length > 0) throw new UnusableBackup('the last line of a part is incomplete');
}

const line = z.strictObject({
  slot: z.int().nonnegative(),
  commit: z.strictObject({
    position: z.int().positive(),
    partition: z.string(),
    stream: z.string(),
    version: z.int().positive(),
    command: z.strictObject({ id: z.string(), type: z.string(), hash: z.string() }),
    at: z.int(),
    actor: z.string(),
    session: z.string().optional(),
    correlation: z.string(),
    clientCorrelation: z.string().optional(),
    causation: z.string().optional(),
    traceparent: z.string().optional(),
    events: z.array(
      z.strictObject({
        type: z.string(),
        v: z.int(),
        data: z.record(z.string(), z.unknown()),
        sealed: z.record(z.string(), z.string()).optional(),
      }),
    ),
    holds: z.array(z.string()).optional(),
  }),
});

function parseLine(bytes: Buffer): Readonly<{ slot: number; commit: Commit }> {
  try {
    const content: unknown = JSON.parse(bytes.toString('utf8'));
    line.parse(content);
    return content as { slot: number; commit: Commit };
  } catch (error) {
    throw new UnusableBackup('a part has a line that is not a commit of this version', { cause: error });
  }
}
