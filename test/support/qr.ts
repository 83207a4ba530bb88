import { createRequire } from 'node:module';
import type readCode from 'jsqr';
import { PNG } from 'pngjs';

// The package is CommonJS whose types claim an ES default export; `require` gives what is really there.
const jsQR: typeof readCode.default = createRequire(import.meta.url)('jsqr');

/** A QR picture that was read: its size in points and the text it carries. */
export interface ReadPicture {
  width: number;
  height: number;
  text: string;
}

/** Reads the QR code of a `data:image/png;base64,` address. Throws where there is no picture or no code in it. */
export function readQrPicture(address: string): ReadPicture {
  const [, base64] = /^data:image\/png;base64,([A-Za-z0-9+/=]+)$/.exec(address) ?? [];
  if (!base64) throw new Error(`not a PNG data address: ${address.slice(0, 60)}`);
  const { width, height, data } = PNG.sync.read(Buffer.from(base64, 'base64'));
  const code = jsQR(new Uint8ClampedArray(data), width, height);
  if (!code) throw new Error(`no QR code in a picture of ${width}x${height}`);
  return { width, height, text: code.data };
}
