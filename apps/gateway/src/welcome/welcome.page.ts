import { html, type Html } from '../pages/html.js';
import { htmlPage } from '../pages/html-page.js';

/** What a person reads who opens the address of the service in a browser. */
export const welcomePage = (version: string): Html =>
  htmlPage(
    'Keyfold',
    html`<h1>Keyfold</h1>
      <p>
        This is ${version}, an account service that speaks the account API of OpenList. It serves front ends and other
        programs; it has no web console of its own.
      </p>
      <ul>
        <li><a href="/docs">API documentation</a>: every route, to read and to try</li>
        <li><a href="/docs/events">Public events</a>: what other services receive over RabbitMQ</li>
        <li><code>README.md</code> in the source folder of Keyfold: settings, commands and a tour</li>
      </ul>
      <h2>The admin's password</h2>
      <p>
        The first start shows the password of the account <code>admin</code> once, unless a setting chose it. To change
        it, or to replace one that is lost, run this in the source folder:
      </p>
      <pre>npx keyfold account set-password admin</pre>
      <p>With Docker Compose, run this beside <code>docker-compose.yml</code>:</p>
      <pre>docker compose exec gateway node run.mjs account set-password admin</pre>`,
  );
