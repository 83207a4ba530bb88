import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ProtobufMessage } from './protobuf.js';

const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;

/** The fields of an OTLP 1 span (opentelemetry/proto/trace/v1/trace.proto) that tests read. */
export type CollectedSpan = Readonly<{
  service: string;
  /** The process. */
  instance: string;
  traceId: string;
  spanId: string;
  /** Empty for the root span. */
  parentId: string;
  name: string;
  kind: (typeof KINDS)[number];
  attributes: Readonly<Record<string, string | number>>;
  links: readonly Readonly<{ traceId: string; spanId: string }>[];
  failed: boolean;
}>;

/** Receives traces over HTTP on a free port of 127.0.0.1 and keeps them. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  /** The headers of each export. */
  readonly headers: IncomingHttpHeaders[] = [];
  /** The HTTP status of every answer. */
  status = 200;
  readonly #server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      this.headers.push(request.headers);
      const wanted = request.url === '/v1/traces' && request.headers['content-type'] === 'application/x-protobuf';
      if (this.status === 200 && wanted) this.spans.push(...spansOf(new ProtobufMessage(body)));
      response.writeHead(wanted ? this.status : 404, { 'content-type': 'application/x-protobuf' }).end();
    });
  });

  private constructor() {}

  static async open(): Promise<TraceCollector> {
    const collector = new TraceCollector();
    await new Promise<void>((listening) => collector.#server.listen(0, '127.0.0.1', listening));
    return collector;
  }

  named(name: string): CollectedSpan[] {
    return this.spans.filter((span) => span.name === name);
  }

  /** Returns the spans of a trace, each as the path of names from the root. */
  pathsOf(traceId: string): string[] {
    const ofTrace = this.spans.filter((span) => span.traceId === traceId);
    const pathOf = (span: CollectedSpan): string => {
      const parent = ofTrace.find(({ spanId }) => spanId === span.parentId);
      return parent ? `${pathOf(parent)} > ${span.name}` : span.name;
    };
    return ofTrace.map(pathOf).toSorted();
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const spansOf = (request: ProtobufMessage): CollectedSpan[] =>
  request.messages(1).flatMap((resourceSpans) => {
    const resource = resourceSpans.messages(1).map((each) => attributesOf(each, 1))[0] ?? {};
    const process = { service: String(resource['service.name']), instance: String(resource['service.instance.id']) };
    return resourceSpans
      .messages(2)
      .flatMap((scope) => scope.messages(2).map((span) => ({ ...process, ...spanOf(span) })));
  });

const spanOf = (span: ProtobufMessage): Omit<CollectedSpan, 'service' | 'instance'> => ({
  traceId: span.hex(1),
  spanId: span.hex(2),
  parentId: span.hex(4),
  name: span.text(5),
  kind: KINDS[span.number(6)] ?? 'unspecified',
  attributes: attributesOf(span, 9),
  links: span.messages(13).map((link) => ({ traceId: link.hex(1), spanId: link.hex(2) })),
  failed: span.messages(15).some((status) => status.number(3) === 2),
});

/** Reads strings and integers, the only types that the service sends. */
const attributesOf = (message: ProtobufMessage, field: number): Record<string, string | number> =>
  Object.fromEntries(
    message.messages(field).map((pair) => {
      const [value] = pair.messages(2);
      return [pair.text(1), value?.has(1) ? value.text(1) : (value?.number(3) ?? '')];
    }),
  );
