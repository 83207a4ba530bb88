import { sealingKeyIdOf, type Sealer } from '@keyfold/security';
import { hash } from 'node:crypto';
import { z } from 'zod';

/** A backup cannot be read or continued. The message says why and what to do. */
export class UnusableBackup extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'UnusableBackup';
  }
}

/** Raise it when an older version could misread a backup. */
const FORMAT = 1;

const count = z.int().nonnegative();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The names of parts: plain and encrypted. */
export const PART_NAME = /^\d{6,}\.commits\.gz(?:\.age)?$/;

const part = z.strictObject({
  file: z.string().regex(PART_NAME),
  bytes: count,
  sha256,
  commits: count,
  /** Unix milliseconds. */
  cutAt: count,
  /** The commits of each slot: after a position, up to another one. */
  slots: z.array(z.strictObject({ slot: count, after: count, upTo: count })),
});

/** An account that was erased, and when, as in the event. */
export const erasedAccount = z.strictObject({ accountId: z.int().positive(), erasedAt: count });

const manifest = z.strictObject({
  format: z.literal(FORMAT),
  keyfold: z.string(),
  store: z.enum(['sqlite', 'mongodb']),
  encryption: z.enum(['none', 'recipient', 'passphrase']),
  parts: z.array(part),
  /** The number of completed runs, which decides whose content the next one reads. */
  runs: count.default(0),
  /** The last position of each slot, and the hash of its command id, by which the next run recognizes the store. */
  heads: z.array(z.strictObject({ slot: count, position: count, command: sha256 })),
  counters: z.record(z.string(), count),
  relay: z.strictObject({
    checkpoints: z.array(z.strictObject({ slot: count, position: count })),
    parked: z.array(
      z.strictObject({ slot: count, partition: z.string(), position: count, error: z.string(), at: count }),
    ),
  }),
  /** The ids of the keys that sealed something in the parts. */
  sealingKeys: z.array(z.string()),
  erased: z.array(erasedAccount),
});

/** The parts of a backup, and the state of the store that is not in its commits. */
export type Manifest = z.infer<typeof manifest>;
export type Part = z.infer<typeof part>;
export type ErasedAccount = z.infer<typeof erasedAccount>;

/** The checksum of everything before it ends the text, so that every changed byte is found. */
const CHECKED = /^(\{.*),"checksum":"([0-9a-f]{64})"\}\n$/s;
/** The HMAC of everything before it, which only a holder of a sealing key can make. */
const SIGNED = /^(\{.*),"hmac":"([^"]*)"$/s;
const PURPOSE = 'manifest of a backup';

/** `doubt`: why it is unknown whether somebody changed the manifest. `isSigned`: whether it has an HMAC. */
export type ReadManifest = Manifest & Readonly<{ doubt?: string | undefined; isSigned?: boolean }>;

/** Without a sealer, the text gets no HMAC. */
export function textOfManifest(given: Manifest, sealer: Sealer | undefined): string {
  const body = JSON.stringify(given).slice(0, -1);
  const signed = sealer ? `${body},"hmac":"${sealer.hmac(body, PURPOSE)}"` : body;
  return `${signed},"checksum":"${hash('sha256', signed)}"}\n`;
}

/** Throws `UnusableBackup`, also if the HMAC does not match. A manifest without one is read, with `doubt` set. */
export function parseManifest(text: string, sealer: Sealer | undefined): ReadManifest {
  const [, checked = '', checksum] = CHECKED.exec(text) ?? [];
  if (checksum === undefined || hash('sha256', checked) !== checksum)
    throw new UnusableBackup('manifest.json is damaged: its checksum differs. Use another copy of the backup');
  const [, body = checked, hmac] = SIGNED.exec(checked) ?? [];
  const doubt = doubtAbout(body, hmac, sealer);
  const content: unknown = JSON.parse(`${body}}`);
  const { format } = content as { format?: unknown };
  if (format !== FORMAT)
    throw new UnusableBackup(`manifest.json has format ${String(format)}. Use the version of Keyfold that wrote it`);
  const parsed = manifest.safeParse(content);
  if (!parsed.success) throw new UnusableBackup(`manifest.json is not valid: ${z.prettifyError(parsed.error)}`);
  requireChain(parsed.data);
  return { ...parsed.data, doubt, isSigned: hmac !== undefined };
}

function doubtAbout(body: string, hmac: string | undefined, sealer: Sealer | undefined): string | undefined {
  if (hmac === undefined) return 'manifest.json has no HMAC';
  const key = sealingKeyIdOf(hmac) ?? '?';
  const expected = sealer?.hmac(body, PURPOSE, key);
  if (expected === undefined) return `the sealing key ${key}, which made the HMAC of manifest.json, is missing`;
  if (expected === hmac) return undefined;
  throw new UnusableBackup(
    `manifest.json was changed, or made with another sealing key ${key}: its HMAC differs. Use another copy of the backup, or the sealing keys of its service`,
  );
}

/** Requires that the parts follow each other without gaps up to the heads. Throws `UnusableBackup`. */
function requireChain({ parts, heads }: Manifest): void {
  const reached = new Map<number, number>();
  for (const { file, slots, commits } of parts) {
    for (const { slot, after, upTo } of slots) {
      if ((reached.get(slot) ?? 0) !== after || upTo <= after)
        throw new UnusableBackup(`manifest.json is not valid: ${file} does not follow the part before it`);
      reached.set(slot, upTo);
    }
    if (slots.reduce((sum, { after, upTo }) => sum + upTo - after, 0) !== commits)
      throw new UnusableBackup(`manifest.json is not valid: ${file} has another number of commits`);
  }
  const isWhole = heads.length === reached.size && heads.every(({ slot, position }) => reached.get(slot) === position);
  if (!isWhole) throw new UnusableBackup('manifest.json is not valid: the parts do not reach its heads');
}
