import { spawn, type ChildProcess } from 'node:child_process';

/** Reads process groups until the pipe ends, which it does in whatever way its owner ends; then ends the last and removes the folder. */
const WATCH = `
while read -r group; do guarded=$group; done
[ -n "$guarded" ] && kill -9 -"$guarded" 2>/dev/null
[ -n "$guarded" ] && sleep 0.2
rm -rf "$0"`;

/** Ends a group of processes and removes its folder when this process ends, also by SIGKILL. */
export class Watchdog {
  readonly #shell: ChildProcess;

  constructor(folder: string) {
    // In a group of its own: Ctrl-C on a terminal reaches a whole group.
    this.#shell = spawn('sh', ['-c', WATCH, folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    this.#shell.unref();
    this.#shell.stdin?.on('error', () => undefined);
    (this.#shell.stdin as unknown as { unref?(): void } | null)?.unref?.();
  }

  /** Watches over this group from now on instead of the one before. */
  guard(group: number): void {
    this.#shell.stdin?.write(`${group}\n`);
  }

  /** As when this process ends. */
  abandon(): void {
    this.#shell.stdin?.end();
  }

  /** There is nothing left to end. */
  release(): void {
    this.#shell.kill('SIGKILL');
  }
}
