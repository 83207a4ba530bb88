import { PreparedAnswer, toJson } from './envelope.js';
import { inLaterTurn, isTurnSpent, whenThereIsTime } from './loop-turn.js';

/**
 * Writes the answer of a list, `{"content":[…],"total":…}`. A list of megabytes takes several turns of the event loop, so that other requests
 * are answered meanwhile. Rejects with what `responseOf` throws.
 */
export function listAnswer<Item>(
  items: readonly Item[],
  total: number,
  responseOf: (item: Item) => object,
): Promise<PreparedAnswer> {
  const written: string[] = [];
  return new Promise((resolve, reject) => {
    const write = () => {
      try {
        do {
          if (written.length === items.length) {
            return resolve(PreparedAnswer.ofJson(`{"content":[${written.join()}],"total":${total}}`));
          }
          written.push(toJson(responseOf(items[written.length]!)));
        } while (!isTurnSpent());
        inLaterTurn(write);
      } catch (error) {
        reject(error);
      }
    };
    whenThereIsTime(write);
  });
}
