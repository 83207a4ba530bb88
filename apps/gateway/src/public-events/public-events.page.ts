import {
  definitionOf,
  publicEventTypes,
  sampleMessageOf,
  schemaOfEvent,
  schemaPathOf,
  type JsonSchema,
  type PublicEventType,
} from '@keyfold/messaging/events';
import { html, prose, type Html } from './html.js';

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 3rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #ccc; }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; } pre { background: #f4f4f4; padding: .8rem; overflow-x: auto; }
summary { cursor: pointer; }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #1a1a1a; } pre { background: #262626; } a { color: #8ab4f8; } }
`;

const INTRODUCTION =
  'What Keyfold tells other services over RabbitMQ. Events go to the topic exchange `keyfold.events`, with their type as routing key. ' +
  'They are CloudEvents 1.0 in binary mode: attributes are headers, the body is the data alone, in JSON.';

const GUARANTEES = [
  'At least once: an event that happened is delivered, if need be after an outage, and now and then twice.',
  'Deduplicate by id: the same event has the same `cloudEvents_id` each time, so drop what you have seen.',
  'Order per account: events with the same `cloudEvents_partitionkey` come for the first time in the order in which they happened. ' +
    'There is no order between accounts.',
  'No secrets: passwords, their hashes, secrets of two-factor login, tokens and values of settings are in no event.',
  'Only additions: data of a type gain fields and lose none, so ignore those that you do not know. Anything else would be a new type.',
];

/** The page about all public events. It needs no scripts. */
export const publicEventsPage = (): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Keyfold: public events</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <h1>Public events</h1>
        <p>${prose(INTRODUCTION)}</p>
        <p>
          The same for programs: <a href="/asyncapi.json">AsyncAPI 3.1</a>, and one JSON Schema for each version of each
          event.
        </p>
        <h2 id="guarantees">Guarantees</h2>
        <ul>
          ${GUARANTEES.map((each) => html`<li>${prose(each)}</li> `)}
        </ul>
        <h2 id="events">Events</h2>
        <table>
          <thead>
            <tr>
              <th>Type</th>
              <th>When</th>
              <th>Version</th>
              <th>Since</th>
            </tr>
          </thead>
          <tbody>
            ${publicEventTypes.map(rowOf)}
          </tbody>
        </table>
        ${publicEventTypes.map(sectionOf)}
      </body>
    </html> `;

const rowOf = (type: PublicEventType): Html => {
  const { when, version, since } = definitionOf(type);
  return html`<tr>
    <td>
      <a href="#${type}"><code>${type}</code></a>
    </td>
    <td>${prose(when)}</td>
    <td>${version}</td>
    <td>${since}</td>
  </tr> `;
};

function sectionOf(type: PublicEventType): Html {
  const { title, when, version, since } = definitionOf(type);
  const schema = schemaOfEvent(type);
  const { headers, body } = sampleMessageOf(type);
  return html`<section>
    <h2 id="${type}"><code>${type}</code>: ${title}</h2>
    <p>${prose(when)} Version ${version}, sent since Keyfold ${since}.</p>
    <table>
      <thead>
        <tr>
          <th>Field</th>
          <th>Type</th>
          <th>Meaning</th>
        </tr>
      </thead>
      <tbody>
        ${fieldRowsOf(schema)}
      </tbody>
    </table>
    <h3>Sample: headers</h3>
    <pre>${asText(headers)}</pre>
    <h3>Sample: body</h3>
    <pre>${asText(JSON.parse(body.toString()))}</pre>
    <details>
      <summary>JSON Schema, also at <a href="${schemaPathOf(type)}">${schemaPathOf(type)}</a></summary>
      <pre>${asText(schema)}</pre>
    </details>
  </section> `;
}

type Field = Readonly<{ type?: string; format?: string; description?: string }>;

function fieldRowsOf(schema: JsonSchema): Html[] {
  const required = schema['required'] as readonly string[];
  const fields = Object.entries(schema['properties'] as Readonly<Record<string, Field>>);
  return fields.map(([name, { type = '', format, description = '' }]) => {
    const kind = `${format ?? type}${required.includes(name) ? '' : ', optional'}`;
    return html`<tr>
      <td><code>${name}</code></td>
      <td>${kind}</td>
      <td>${prose(description)}</td>
    </tr> `;
  });
}

const asText = (value: unknown) => JSON.stringify(value, null, 2);
