// Scripts of this folder as processes of their own, so that what is measured shares no thread with what measures.
import { fork } from 'node:child_process';

/** A process that answers one message at a time, with whatever its script hands to `answerWith`. */
export class Child {
  #process;

  /** `script` is a path from this folder. */
  constructor(script) {
    this.#process = fork(new URL(script, import.meta.url));
  }

  get pid() {
    return this.#process.pid;
  }

  /** The answer to a message. Rejects with what the script threw, or when the process ends. */
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

  /** A message whose answer nobody waits for, also while another is worked on. */
  tell(message) {
    this.#process.send(message);
  }

  end() {
    this.#process.disconnect();
  }
}

/** Called by the script of a child: how it answers. The process ends with the one that started it. */
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
