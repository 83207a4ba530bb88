import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Reads process groups until the pipe closes, however its owner ends. Then kills the last group and removes the folder.
 */
const WATCH = `
while read -r group; do guarded=$group; done
[ -n "$guarded" ] && kill -9 -"$guarded" 2>/dev/null
[ -n "$guarded" ] && sleep 0.2
rm -rf "$0"`;

/** Kills a process group and removes its folder when this process ends, even by SIGKILL. */
export class Watchdog {
  readonly #shell: ChildProcess;

  constructor(folder: string) {
    // In its own process group, because Ctrl-C on a terminal signals the whole group.
    this.#shell = spawn('sh', ['-c', WATCH, folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    this.#shell.unref();
    this.#shell.stdin?.on('error', () => undefined);
    (this.#shell.stdin as unknown as { unref?(): void } | null)?.unref?.();
  }

  /** Guards this group instead of the previous one. */
  guard(group: number): void {
    this.#shell.stdin?.write(`${group}\n`);
  }

  /** Ends the watchdog when nothing is left to guard. */
  release(): void {
    this.#shell.kill('SIGKILL');
  }
}
