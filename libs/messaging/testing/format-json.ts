import { format } from 'prettier';

/** Returns JSON as prettier formats it in this project. */
export const formatJson = (value: unknown): Promise<string> =>
  format(JSON.stringify(value), { parser: 'json', printWidth: 120 });
