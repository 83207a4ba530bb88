import { PreparedResponse, toJson } from '@keyfold/http-envelope';
import { defer, isBudgetSpent, runOrDefer } from './loop-budget.js';

/** Serializes a page as `{"content":[…],"total":…}`, like `arrayResponse`. */
export const listResponse = async <Item>(
  items: readonly Item[],
  total: number,
  responseOf: (item: Item) => object,
): Promise<PreparedResponse> =>
  PreparedResponse.ofJson(`{"content":${await arrayJson(items, responseOf)},"total":${total}}`);

/** Serializes a page as `{"content":[…],"next_cursor":…}`, like `arrayResponse`. The cursor is empty on the last page. */
export const cursorResponse = async <Item>(
  items: readonly Item[],
  nextCursor: string,
  responseOf: (item: Item) => object,
): Promise<PreparedResponse> =>
  PreparedResponse.ofJson(`{"content":${await arrayJson(items, responseOf)},"next_cursor":${toJson(nextCursor)}}`);

/**
 * Serializes a list without pages as `[…]`. A list of several megabytes takes several iterations of the event loop, so that other requests are
 * answered in between. Rejects with whatever `responseOf` throws.
 */
export const arrayResponse = async <Item>(
  items: readonly Item[],
  responseOf: (item: Item) => object,
): Promise<PreparedResponse> => PreparedResponse.ofJson(await arrayJson(items, responseOf));

function arrayJson<Item>(items: readonly Item[], responseOf: (item: Item) => object): Promise<string> {
  const serialized: string[] = [];
  return new Promise((resolve, reject) => {
    const serialize = () => {
      try {
        do {
          if (serialized.length === items.length) return resolve(`[${serialized.join()}]`);
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
