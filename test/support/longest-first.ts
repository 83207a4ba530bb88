import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Kinds of tests whose files run for minutes, longest first. */
const LONG = ['docker', 'fault', 'e2e'];

/** Runs the longest files first, so that none of them runs alone on one CPU at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ project }: TestSpecification) => (LONG.indexOf(project.name) + LONG.length + 1) % (LONG.length + 1);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}
