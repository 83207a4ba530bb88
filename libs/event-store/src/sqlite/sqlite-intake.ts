import type { Commit } from '../commit.js';
import { CommitIntake, IntakeRefused } from '../commit-intake.js';
import { compactedStreamOf, isCompacted } from '../compaction.js';
import type { SqliteConnection } from './sqlite-connection.js';
import { commitParams, INSERT_HOLD, MAKE_VOID } from './sqlite-event-store.js';
import type { WriteStatement } from './sqlite-writer.worker.js';

/** The position is given, and must be the next one. */
const TAKE_COMMIT = `
  INSERT INTO commits (partition, stream, version, command_id, command_type, command_hash, at, actor,
    correlation, causation, traceparent, events, holds, session, client_correlation, position)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16
  WHERE (SELECT coalesce(max(position), 0) FROM commits) = ?16 - 1
  RETURNING position`;

/** Takes over commits into the file of the embedded store: all of a call or none. */
export class SqliteIntake extends CommitIntake {
  constructor(private readonly file: SqliteConnection) {
    super();
  }

  async takeOver(slot: number, commits: readonly Commit[]): Promise<void> {
    const result = await this.file.write(commits.flatMap(statementsFor));
    if ('reason' in result) throw new IntakeRefused(slot, result.reason);
  }
}

function statementsFor(commit: Commit): WriteStatement[] {
  const compacted = isCompacted(commit) && commit.version > 1 ? compactedStreamOf(commit.stream) : undefined;
  return [
    ...(compacted === undefined ? [] : [{ sql: MAKE_VOID, params: [compacted] }]),
    { sql: TAKE_COMMIT, params: [...commitParams(commit), commit.position], mustChange: true },
    ...(commit.holds ?? []).map((key) => ({ sql: INSERT_HOLD, params: [key] })),
  ];
}
