import { createHash, hash } from 'node:crypto';
import { posix } from 'node:path';
import { Refusal } from './exchange.js';
import type { User } from './users.js';

/** A file or a folder. */
export type Entry = Readonly<{
  path: string;
  name: string;
  isFolder: boolean;
  size: number;
  modified: Date;
  /** Missing for a large upload, which is only hashed. */
  bytes?: Buffer;
}>;

/** An upload with what has arrived of it. */
export type Upload = {
  readonly path: string;
  received: number;
  /** SHA-256 in hexadecimal digits, of a complete upload. */
  sha256: string | undefined;
  state: 'arriving' | 'complete' | 'aborted';
};

/** Larger uploads are only hashed. */
const KEPT_BYTES = 1 << 20;
const REMEMBERED_UPLOADS = 1_000;
const NOT_FOUND = new Refusal(500, 'failed get obj: object not found');

/** A tree of files in memory. */
export class Files {
  /** The last uploads, oldest first. */
  readonly uploads: Upload[] = [];
  private readonly entries = new Map<string, Entry>();

  constructor() {
    this.makeFolder('/');
  }

  /** Writes a file and the folders above it. */
  write(path: string, text: string): void {
    const bytes = Buffer.from(text);
    this.put(path, bytes.length, bytes);
  }

  makeFolder(path: string): void {
    for (let folder = path; !this.entries.has(folder); folder = posix.dirname(folder)) {
      this.entries.set(folder, entryOf(folder, { isFolder: true }));
    }
  }

  find(path: string): Entry | undefined {
    return this.entries.get(path);
  }

  get(path: string): Entry {
    const entry = this.entries.get(path);
    if (entry) return entry;
    throw NOT_FOUND;
  }

  /** Returns the entries of a folder by name. */
  list(folder: string): readonly Entry[] {
    if (!this.get(folder).isFolder) throw new Refusal(500, 'failed get objs: not a folder');
    const within = [...this.entries.values()].filter(({ path }) => path !== '/' && posix.dirname(path) === folder);
    return within.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  remove(path: string): void {
    this.get(path);
    for (const { path: inner } of this.treeOf(path)) this.entries.delete(inner);
  }

  /** Copies a file or a folder with its contents. */
  copy(from: string, to: string): void {
    this.get(from);
    for (const entry of this.treeOf(from)) {
      const path = to + entry.path.slice(from.length);
      this.entries.set(path, { ...entry, path, name: posix.basename(path) });
    }
  }

  move(from: string, to: string): void {
    this.copy(from, to);
    this.remove(from);
  }

  /** Stores the body of a request. Rejects if the client breaks off. */
  async receive(body: AsyncIterable<Buffer>, path: string): Promise<Entry> {
    const upload: Upload = { path, received: 0, sha256: undefined, state: 'arriving' };
    this.uploads.push(upload);
    if (this.uploads.length > REMEMBERED_UPLOADS) this.uploads.shift();
    const sha256 = createHash('sha256');
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of body) {
        upload.received += chunk.length;
        sha256.update(chunk);
        if (upload.received <= KEPT_BYTES) chunks.push(chunk);
      }
    } catch (error) {
      upload.state = 'aborted';
      throw error;
    }
    upload.sha256 = sha256.digest('hex');
    upload.state = 'complete';
    return this.put(path, upload.received, upload.received <= KEPT_BYTES ? Buffer.concat(chunks) : undefined);
  }

  private put(path: string, size: number, bytes?: Buffer): Entry {
    this.makeFolder(posix.dirname(path));
    const entry = entryOf(path, { size, ...(bytes && { bytes }) });
    this.entries.set(path, entry);
    return entry;
  }

  private treeOf(path: string): readonly Entry[] {
    return [...this.entries.values()].filter((entry) => entry.path === path || entry.path.startsWith(`${path}/`));
  }
}

/** Returns the path of a file in the tree. @throws a refusal of a path that leaves the user's folder. */
export function joinBasePath({ base_path }: User, path: string): string {
  const clean = posix.normalize(`/${path}`);
  if (path.includes('..') && !clean.includes('..')) throw new Refusal(403, 'using relative path is not allowed');
  const joined = posix.join(base_path, clean);
  return joined === '/' ? joined : joined.replace(/\/$/, '');
}

/** The `ETag` of a file: its time and its size. */
export function etagOf({ modified, size }: Entry): string {
  return `"${Math.floor(modified.getTime() / 1000).toString(16)}-${size.toString(16)}"`;
}

export function contentTypeOf({ name }: Entry): string {
  return name.endsWith('.txt') ? 'text/plain; charset=utf-8' : 'application/octet-stream';
}

/** Returns the SHA-256 of a text, as `Upload` has it. */
export const sha256Of = (text: string): string => hash('sha256', text);

function entryOf(path: string, fields: Partial<Entry>): Entry {
  return { path, name: posix.basename(path), isFolder: false, size: 0, modified: new Date(), ...fields };
}
