import { readQrPicture } from '../support/qr.js';
import type { PictureAnswer } from './recording.js';

/** Returns a sentence for each difference in an enrolment picture: its size, the label or a parameter of its URL. */
export function pictureDifferences({ size, otpauth }: PictureAnswer, address: string): string[] {
  const { width, height, text } = readQrPicture(address);
  const shown = otpauthOf(text);
  const names = new Set([...Object.keys(otpauth), ...Object.keys(shown)]);
  return [
    ...(size === `${width}x${height}` ? [] : [`size: expected ${size}, got ${width}x${height}`]),
    ...[...names]
      .filter((name) => otpauth[name] !== shown[name])
      .map((name) => `${name}: expected ${otpauth[name] ?? 'none'}, got ${shown[name] ?? 'none'}`),
  ];
}

function otpauthOf(text: string): Record<string, string> {
  const [, label, parameters] = /^otpauth:\/\/totp\/([^?]*)\?(.*)$/.exec(text) ?? [];
  if (label === undefined) throw new Error(`not an otpauth URL: ${text}`);
  return { label: decodeURIComponent(label), ...Object.fromEntries(new URLSearchParams(parameters)) };
}
