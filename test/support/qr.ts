import { createRequire } from 'node:module';
import type readCode from 'jsqr';
import { PNG } from 'pngjs';

// The package is CommonJS, but its types claim an ES default export; `require` returns the real value.
const jsQR: typeof readCode.default = createRequire(import.meta.url)('jsqr');

/** The content of a QR image, with its size in pixels. */
export interface ReadPicture {
  width: number;
  height: number;
  text: string;
}

/** Reads the QR code of a `data:image/png;base64,` URL. Throws if it contains no image or no code. */
export function readQrPicture(address: string): ReadPicture {
  const [, base64] = /^data:image\/png;base64,([A-Za-z0-9+/=]+)$/.exec(address) ?? [];
  if (!base64) throw new Error(`not a PNG data URL: ${address.slice(0, 60)}`);
  const { width, height, data } = PNG.sync.read(Buffer.from(base64, 'base64'));
  const code = jsQR(new Uint8ClampedArray(data), width, height);
  if (!code) throw new Error(`no QR code in the ${width}x${height} image`);
  return { width, height, text: code.data };
}
