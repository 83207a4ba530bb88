/** Returns a string as RFC 4251 writes it: four bytes of its length, then its bytes. */
export function sshString(bytes: Buffer | string): Buffer {
  const content = Buffer.from(bytes);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
}

/** Returns the strings of a blob, the first of which is the type of the key. */
export function partsOf(blob: Buffer): Buffer[] {
  if (blob.length < 4) return [];
  const end = 4 + blob.readUInt32BE(0);
  return [blob.subarray(4, end), ...partsOf(blob.subarray(end))];
}
