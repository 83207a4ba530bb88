import { z } from 'zod';
import { InvalidConfiguration } from './read-settings.js';
import { originUrl } from './setting-types.js';

/** Settings of a process in front of OpenList. Without a URL there is none. */
export const openlistSettings = {
  KEYFOLD_OPENLIST_URL: originUrl
    .optional()
    .describe('address of the OpenList server whose accounts these are: `http://openlist:5244`, without a path'),
  KEYFOLD_OPENLIST_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be the token of OpenList, without spaces')
    .optional()
    .describe("OpenList's static token, which its settings page shows to its administrator; required with the URL"),
};

export type OpenListSettings = z.infer<z.ZodObject<typeof openlistSettings>>;

/** The settings of OpenList, if there is one. Throws `InvalidConfiguration` if only one of the two is set. */
export function openlistOf({
  KEYFOLD_OPENLIST_URL: url,
  KEYFOLD_OPENLIST_TOKEN: token,
}: OpenListSettings): Readonly<{ url: string; token: string }> | undefined {
  if (url === undefined && token === undefined) return undefined;
  if (url !== undefined && token !== undefined) return { url, token };
  const [missing, set] = url === undefined ? ['URL', 'TOKEN'] : ['TOKEN', 'URL'];
  throw new InvalidConfiguration([
    `KEYFOLD_OPENLIST_${missing}: is required with KEYFOLD_OPENLIST_${set}. Set both or none`,
  ]);
}
