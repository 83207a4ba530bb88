import {
  definitionOf,
  publicEventTypes,
  sampleMessageOf,
  schemaOfEvent,
  schemaPathOf,
  type JsonSchema,
  type PublicEventType,
} from '@keyfold/messaging/events';
import { htmlPage } from '../pages/html-page.js';
import { html, prose, type Html } from '../pages/html.js';

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
  htmlPage(
    'Keyfold: public events',
    html`<h1>Public events</h1>
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
      ${publicEventTypes.map(sectionOf)}`,
  );

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
