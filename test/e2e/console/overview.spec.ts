import { it } from 'vitest';
import { adminOf } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { consoleOf, expectHeading } from '../../support/browser/console.js';
import { sharedApp } from '../../support/shared-app.js';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);

it('an administrator sees health, progress and logins', async () => {
  await api.post('/api/auth/login', { username: 'admin', password: 'wrong' });
  const page = await consoleOf(await adminOf(api), '/overview');
  await expectHeading(page, 'Overview');
  await page.getByRole('row').filter({ hasText: 'store' }).getByText('up').waitFor();
  await page.getByRole('row').filter({ hasText: 'Lists and searches' }).waitFor();
  await page.getByText('Nothing is parked.').waitFor();
  // The counts reach the store within seconds, and the page reads them again by itself.
  await page.getByRole('img', { name: /^[1-9]\d* accepted, 1 refused$/ }).waitFor();
});
