// Runs scripts of this folder as separate processes, so that the measured code shares no thread with the measuring
// code.
import { fork } from 'node:child_process';

/** A process that answers messages with the result of its handler (see `answerWith`). */
export class Child {
  #process;

  /** `script` is a path relative to this folder. */
  constructor(script) {
    this.#process = fork(new URL(script, import.meta.url));
  }

  get pid() {
    return this.#process.pid;
  }

  /** Sends a message and returns the answer. Rejects with the script's error, or when the process ends. */
  async ask(message) {
    const answer = await new Promise((resolve, reject) => {
      const ended = () => reject(new Error(`${this.#process.spawnargs.at(-1)} ended`));
      this.#process.once('exit', ended);
      this.#process.once('message', (answer) => {
        this.#process.off('exit', ended);
        resolve(answer);
      });
      this.#process.send(message);
    });
    if ('failed' in answer) throw new Error(answer.failed);
    return answer.result;
  }

  /** Sends a message without waiting for the answer, even while another is being handled. */
  send(message) {
    this.#process.send(message);
  }

  end() {
    this.#process.disconnect();
  }
}

/** Registers the handler in the script of a child. The process ends with its parent. */
export function answerWith(handle) {
  process.once('disconnect', () => process.exit());
  process.on('message', (message) => {
    void answerTo(message, handle).then((answer) => process.send(answer));
  });
}

async function answerTo(message, handle) {
  try {
    return { result: await handle(message) };
  } catch (error) {
    return { failed: error.stack };
  }
}
