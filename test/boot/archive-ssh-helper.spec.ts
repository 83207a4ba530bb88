import { expect, it } from 'vitest';
import { releasedHelper } from '../support/openssh/ssh-helper.js';
import { componentsOf, contents, sbomOf } from '../support/release-contents.js';

it('keyfold-ssh in an archive is built for its processor, to the same bytes from the same sources', async () => {
  const machineOf = async (cpu: string) => (await releasedHelper(cpu)).program.readUInt16LE(18);
  // The numbers of the ELF format.
  expect([await machineOf('x64'), await machineOf('arm64')]).toEqual([62, 183]);
  const [first, second] = [await releasedHelper(process.arch), await releasedHelper(process.arch)];
  expect(first.program.equals(second.program)).toBe(true);
});

it('the notices and the bill of materials of an archive have the Go of keyfold-ssh', async () => {
  const { notices, version } = await releasedHelper(process.arch);
  expect(notices).toContain(`go@${version} (BSD-3-Clause)\n`);
  expect(notices).toContain('The Go Authors');
  const purls = componentsOf(sbomOf({ ...contents, go: version })).map(({ purl }) => purl);
  expect(purls).toContain(`pkg:golang/stdlib@${version}`);
});
