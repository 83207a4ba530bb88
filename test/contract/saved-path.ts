import type { Json } from './recording.js';

/**
 * Returns the value at a path such as `data.token` or `data.content[title=a key].id`. Brackets select the list item
 * whose field has this value. Returns undefined if there is none.
 */
export function valueAt(root: Json, path: string): Json | undefined {
  let value: Json | undefined = root;
  for (const [, name, field, wanted] of path.matchAll(/([^.[\]]+)|\[([^=\]]+)=([^\]]*)\]/g)) {
    value = field === undefined ? fieldOf(value, name ?? '') : itemWhere(value, field, wanted ?? '');
  }
  return value;
}

function fieldOf(value: Json | undefined, name: string): Json | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  return value[name];
}

function itemWhere(value: Json | undefined, field: string, wanted: string): Json | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.find((item) => String(fieldOf(item, field)) === wanted);
}
