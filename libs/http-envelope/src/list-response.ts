import { PreparedResponse, toJson } from './envelope.js';
import { defer, isBudgetSpent, runOrDefer } from './turn-budget.js';

/**
 * Serializes a list as `{"content":[…],"total":…}`. A list of several megabytes takes several turns of the event loop, so that other
 * requests are answered in between. Rejects with whatever `responseOf` throws.
 */
export function listResponse<Item>(
  items: readonly Item[],
  total: number,
  responseOf: (item: Item) => object,
): Promise<PreparedResponse> {
  const serialized: string[] = [];
  return new Promise((resolve, reject) => {
    const serialize = () => {
      try {
        do {
          if (serialized.length === items.length) {
            return resolve(PreparedResponse.ofJson(`{"content":[${serialized.join()}],"total":${total}}`));
          }
          serialized.push(toJson(responseOf(items[serialized.length]!)));
        } while (!isBudgetSpent());
        defer(serialize);
      } catch (error) {
        reject(error);
      }
    };
    runOrDefer(serialize);
  });
}
