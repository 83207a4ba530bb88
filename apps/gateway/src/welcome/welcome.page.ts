import { html, type Html } from '../html/html.js';
import { htmlPage } from '../html/html-page.js';

/** Creates the page for people who open the address of the service in a browser. */
export const welcomePage = (version: string): Html =>
  htmlPage(
    'Keyfold',
    html`<h1>Keyfold</h1>
      <p>
        This is ${version}, an account service that implements the account API of OpenList. It serves front ends and
        other programs and has no web interface of its own.
      </p>
      <ul>
        <li><a href="/docs">API documentation</a>: read about every route and try it</li>
        <li><a href="/docs/events">Public events</a>: the events that other services receive over RabbitMQ</li>
        <li><code>README.md</code> in Keyfold's source folder: links to settings, commands and a tour</li>
      </ul>
      <h2>The admin's password</h2>
      <p>
        The first start shows the password of the account <code>admin</code> once, unless you set it in the settings. To
        change or replace it, run this command in the source folder:
      </p>
      <pre>npx keyfold account set-password admin</pre>
      <p>With Docker Compose, run this command in the folder of <code>docker-compose.yml</code>:</p>
      <pre>docker compose exec gateway node run.mjs account set-password admin</pre>`,
  );
