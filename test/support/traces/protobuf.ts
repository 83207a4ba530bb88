/** A value on the wire: a number, or bytes that are a text, bytes or a message. */
type Wire = bigint | Buffer;

/** Reads a protocol buffers message without its schema. The caller knows the types of the fields. */
export class ProtobufMessage {
  readonly #fields = new Map<number, Wire[]>();
  #at = 0;

  /** Parses a message. Throws if the bytes are not one. */
  constructor(private readonly bytes: Buffer) {
    while (this.#at < bytes.length) {
      const tag = Number(this.#varint());
      const values = this.#fields.get(tag >> 3) ?? [];
      values.push(this.#value(tag & 7));
      this.#fields.set(tag >> 3, values);
    }
  }

  messages(field: number): ProtobufMessage[] {
    return this.#all(field).map((value) => new ProtobufMessage(asBytes(value)));
  }

  text(field: number): string {
    return this.bytesOf(field).toString();
  }

  hex(field: number): string {
    return this.bytesOf(field).toString('hex');
  }

  number(field: number): number {
    const [value = 0n] = this.#all(field);
    if (typeof value !== 'bigint') throw new Error(`field ${field} is not a number`);
    return Number(value);
  }

  has(field: number): boolean {
    return this.#fields.has(field);
  }

  private bytesOf(field: number): Buffer {
    return asBytes(this.#all(field)[0] ?? Buffer.alloc(0));
  }

  #all(field: number): readonly Wire[] {
    return this.#fields.get(field) ?? [];
  }

  #value(wireType: number): Wire {
    if (wireType === 0) return this.#varint();
    if (wireType === 1) return this.#take(8).readBigUInt64LE();
    if (wireType === 2) return this.#take(Number(this.#varint()));
    if (wireType === 5) return BigInt(this.#take(4).readUInt32LE());
    throw new Error(`unknown wire type ${wireType}`);
  }

  #varint(): bigint {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      const byte = BigInt(this.#take(1).readUInt8());
      value |= (byte & 0x7fn) << shift;
      if (byte < 0x80n) return value;
    }
  }

  #take(length: number): Buffer {
    if (this.#at + length > this.bytes.length) throw new Error('truncated message');
    this.#at += length;
    return this.bytes.subarray(this.#at - length, this.#at);
  }
}

function asBytes(value: Wire): Buffer {
  if (typeof value === 'bigint') throw new Error('expected bytes, found a number');
  return value;
}
