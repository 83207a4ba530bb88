import { it } from 'vitest';
import { ADMIN_PASSWORD } from '../../support/accounts.js';
import { ApiClient } from '../../support/api-client.js';
import { expectAccessible, NARROW, takePicture } from '../../support/browser/chromium.js';
import { expectHeading, signedInConsole } from '../../support/browser/console.js';
import { sharedApp } from '../../support/shared-app.js';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);

const open = (look = {}) => signedInConsole(app.baseUrl, 'admin', ADMIN_PASSWORD, '/overview', look);

it('an administrator sees health, progress and logins', async () => {
  await api.post('/api/auth/login', { username: 'admin', password: 'wrong' });
  const page = await open();
  await expectHeading(page, 'Overview');
  await page.getByRole('row').filter({ hasText: 'store' }).getByText('up').waitFor();
  await page.getByRole('row').filter({ hasText: 'Lists and searches' }).waitFor();
  await page.getByText('Nothing is parked.').waitFor();
  // The counts reach the store within seconds, and the page reads them again by itself.
  await page.getByRole('img', { name: /^[1-9]\d* accepted, 1 refused$/ }).waitFor();
  await expectAccessible(page);
  await takePicture(page, 'overview-light');
});

it('fits a small dark screen', async () => {
  const page = await open({ viewport: NARROW, colorScheme: 'dark' });
  await page.getByText('Nothing is parked.').waitFor();
  await expectAccessible(page);
  await takePicture(page, 'overview-dark-narrow');
});
