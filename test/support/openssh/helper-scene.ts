import { bareKey, keyLine } from '../key-line.js';
import { KeyService, type Behaviour } from './key-service.js';
import { HelperSetup } from './ssh-helper.js';

/** A key that a client offers. */
export const { line, fingerprint } = keyLine('offered');
/** The offered key and another one, as the helper prints them. */
export const [offered, other] = [bareKey(line), bareKey(keyLine('other').line)];

/** Prepares the helper and the service that it asks for the current test, with further lines of the configuration. */
export async function newHelperScene(
  program: string,
  behaviour?: Behaviour,
  ...lines: string[]
): Promise<{ service: KeyService; helper: HelperSetup }> {
  const service = await KeyService.ofTest(behaviour);
  return { service, helper: await HelperSetup.ofTest(program, [service.url], ...lines) };
}
