import {
  asyncApiDocument,
  definitionOf,
  publicEventTypes,
  releasedSchemas,
  sampleMessageOf,
  schemaOfEvent,
  schemaPathOf,
  type JsonSchema,
  type PublicEventType,
} from '@keyfold/messaging/events';
import { revalidatedResponse, type RevalidatedResponse } from '../http/revalidated-response.js';
import { html, htmlPage, table, textWithCode, type Html, type Value } from './html.js';

/** Builds the documentation page, the AsyncAPI document and every released schema, by path. */
export const buildPublicEventDocuments = (): ReadonlyMap<string, RevalidatedResponse> =>
  new Map([
    ['/docs/events', revalidatedResponse('text/html; charset=utf-8', publicEventsPage().source)],
    ['/asyncapi.json', revalidatedResponse('application/json; charset=utf-8', JSON.stringify(asyncApiDocument()))],
    ...[...releasedSchemas()].map(
      ([path, schema]) =>
        [path, revalidatedResponse('application/schema+json; charset=utf-8', JSON.stringify(schema))] as const,
    ),
  ]);

const INTRODUCTION =
  'Keyfold publishes events for other services over RabbitMQ, to the topic exchange `keyfold.events`. The routing key is the event type. ' +
  'Messages are CloudEvents 1.0 in binary mode: the headers contain the attributes, the body contains only the data, as JSON.';

const GUARANTEES = [
  'At least once: every event is delivered, possibly after an outage, and sometimes twice.',
  'Deduplicate by stream: each delivery of an event has the same `cloudEvents_id`, `<stream>:<version>:<index>`. Keep the last version and ' +
    'index of each stream, compare them as numbers, and ignore an event that is not newer.',
  'Ordered per account: events with the same `cloudEvents_partitionkey` are first delivered in the order in which they occurred. ' +
    'There is no order between accounts.',
  'No secrets: no event contains passwords, their hashes, two-factor secrets, tokens or values of settings.',
  'Only additions: the data of a type may gain fields but never loses any, so ignore unknown fields. Any other change is a new type.',
];

const publicEventsPage = (): Html =>
  htmlPage(
    'Keyfold: public events',
    html`<h1>Public events</h1>
      <p>${textWithCode(INTRODUCTION)}</p>
      <p>
        In machine-readable form: <a href="/asyncapi.json">AsyncAPI 3.1</a>, and a JSON Schema for each version of each
        event.
      </p>
      <h2 id="guarantees">Guarantees</h2>
      <ul>
        ${GUARANTEES.map((each) => html`<li>${textWithCode(each)}</li> `)}
      </ul>
      <h2 id="events">Events</h2>
      ${table(['Type', 'When', 'Version', 'Since'], publicEventTypes.map(cellsOf))} ${publicEventTypes.map(sectionOf)}`,
  );

const cellsOf = (type: PublicEventType): Value[] => {
  const { when, version, since } = definitionOf(type);
  return [html`<a href="#${type}"><code>${type}</code></a>`, textWithCode(when), version, since];
};

function sectionOf(type: PublicEventType): Html {
  const { title, when, version, since } = definitionOf(type);
  const schema = schemaOfEvent(type);
  const { headers, body } = sampleMessageOf(type);
  return html`<section>
    <h2 id="${type}"><code>${type}</code>: ${title}</h2>
    <p>${textWithCode(when)} Schema version ${version}, sent since Keyfold ${since}.</p>
    ${table(['Field', 'Type', 'Meaning'], fieldsOf(schema))}
    <h3>Sample headers</h3>
    <pre>${asJson(headers)}</pre>
    <h3>Sample body</h3>
    <pre>${asJson(JSON.parse(body.toString()))}</pre>
    <details>
      <summary>JSON Schema, also served at <a href="${schemaPathOf(type)}">${schemaPathOf(type)}</a></summary>
      <pre>${asJson(schema)}</pre>
    </details>
  </section> `;
}

type Field = Readonly<{ type?: string; format?: string; description?: string }>;

function fieldsOf(schema: JsonSchema): Value[][] {
  const required = schema['required'] as readonly string[];
  const fields = Object.entries(schema['properties'] as Readonly<Record<string, Field>>);
  return fields.map(([name, { type = '', format, description = '' }]) => {
    const kind = `${format ?? type}${required.includes(name) ? '' : ', optional'}`;
    return [html`<code>${name}</code>`, kind, textWithCode(description)];
  });
}

const asJson = (value: unknown) => JSON.stringify(value, null, 2);
