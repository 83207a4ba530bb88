import { siteSettingsStream, StreamLoader } from '@keyfold/projections';
import { StoreUnavailable } from '@keyfold/event-store';
import { beforeEach, describe, expect, it } from 'vitest';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { CurrentPrivacyMask } from './current-privacy-mask.js';

const context = { actor: 'test', correlation: 'test' };

let service: EmbeddedService;
let mask: CurrentPrivacyMask;

beforeEach(() => {
  service = new EmbeddedService();
  mask = new CurrentPrivacyMask(service.loader);
});

const save = (patterns: string) =>
  service.runner.run(
    siteSettingsStream,
    { type: 'ChangeSettings', values: [['privacy_regs', patterns]], sealedValues: {} },
    context,
  );

describe('the message of a refusal', () => {
  it('is masked with the factory patterns at first', async () => {
    expect(await mask.ofRefusal('at 1.2.3.4')).toBe('at *******');
  });

  it('is masked without a promise if the settings are cached and current', async () => {
    const direct = new CurrentPrivacyMask(new StreamLoader(service.folder.store, service.readModels));
    await save('secret[0-9]');
    expect(await direct.ofRefusal('secret1 at 1.2.3.4')).toBe('******* at 1.2.3.4');
    expect(direct.ofRefusal('secret1 at 1.2.3.4')).toBe('******* at 1.2.3.4');
  });

  it('is masked with patterns that another process saved', async () => {
    const other = new CurrentPrivacyMask(new StreamLoader(service.store, service.readModels));
    expect(await other.ofRefusal('secret1')).toBe('secret1');
    await save('secret[0-9]');
    expect(await other.ofRefusal('secret1')).toBe('*******');
    expect(other.ofFault('secret1')).toBe('*******');
  });

  it('is masked with the patterns read last while the store is unavailable', async () => {
    await save('secret[0-9]');
    await mask.ofRefusal('');
    service.loader.loadNow = () => undefined;
    service.loader.load = () => Promise.reject(new StoreUnavailable('down'));
    expect(await mask.ofRefusal('secret1')).toBe('*******');
    service.loader.load = () => new Promise(() => undefined);
    expect(await mask.ofRefusal('secret1')).toBe('*******');
  });

  it('is masked with the newest patterns even if an older read ends later', async () => {
    await save('secret[0-9]');
    const older = await service.loader.load(siteSettingsStream);
    await save('other[0-9]');
    await mask.ofRefusal('');
    service.loader.loadNow = () => undefined;
    service.loader.load = () => Promise.resolve(older as never);
    expect(await mask.ofRefusal('secret1 other1')).toBe('secret1 ******');
  });

  it('is masked with the factory patterns if the saved ones cannot be used', async () => {
    await save('(?=a)');
    expect(await mask.ofRefusal('a at 1.2.3.4')).toBe('a at *******');
  });
});

it('the message of a fault is masked with the patterns read last', async () => {
  await save('secret[0-9]');
  expect(mask.ofFault('secret1 at 1.2.3.4')).toBe('secret1 at *******');
  await mask.ofRefusal('');
  expect(mask.ofFault('secret1 at 1.2.3.4')).toBe('******* at 1.2.3.4');
});
