import { COMPACTION, isCompacted, voidStreamOf, type Commit } from '@keyfold/event-store';
import { GUEST_ID } from '@keyfold/domain';
import { z } from 'zod';
import { erasedAccount, UnusableBackup, type ErasedAccount } from './manifest.js';

/** Reads the lines of `keyfold account erasures --json`. Throws `UnusableBackup`. */
export function parseErasures(text: string): ErasedAccount[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  try {
    return lines.map((line) => erased.parse(JSON.parse(line)));
  } catch {
    throw new UnusableBackup('the list of erasures has a line that "keyfold account erasures --json" does not write');
  }
}

/** The guest and the administrator cannot be erased. */
const erased = z
  .looseObject({ id: z.int().positive().gt(GUEST_ID), erased: z.iso.datetime() })
  .transform(({ id, erased: at }) => erasedAccount.parse({ accountId: id, erasedAt: Date.parse(at) }));

/**
 * Returns a commit as an erasure leaves it: void, without holds and hash. So nothing of an erased account is written, and its names are free for
 * the commits that took them later.
 */
export function erasedCommit(slot: number, commit: Commit): Commit {
  const { position, stream, version, command, at } = commit;
  if (isCompacted(commit)) return commit;
  return {
    position,
    partition: `void-${slot}`,
    stream: voidStreamOf(stream),
    version,
    command: { id: command.id, type: COMPACTION, hash: '' },
    at,
    actor: 'compaction',
    correlation: command.id,
    events: [],
  };
}
