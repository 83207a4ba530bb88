import { it } from 'vitest';
import { ADMIN_PASSWORD } from '../../support/accounts.js';
import { goTo, signedInConsole } from '../../support/browser/console.js';
import { openListScene } from '../../support/openlist/scene.js';

const { app } = await openListScene({ KEYFOLD_HOST: '0.0.0.0' });

// The specification lets a policy name no other IP address than 127.0.0.1.
it.each(['127.0.0.2', 'localhost'])(
  'a browser runs the scripts of the console in front of OpenList at %s',
  async (host) => {
    const page = await signedInConsole(app.baseUrl.replace('127.0.0.1', host), 'admin', ADMIN_PASSWORD);
    await goTo(page, 'Accounts');
  },
);
