import { hash } from 'node:crypto';

/**
 * The slots that each member works on. Everybody who knows the same members comes to the same answer; sizes differ by one at most,
 * and a member that comes or goes moves few slots besides those that it takes or leaves.
 *
 * Rendezvous hashing with a bound: each pair of a slot and a member has a score, and the best pairs are matched first.
 */
export function slotShares(members: readonly string[], slots: number): Map<string, number[]> {
  const shares = new Map(members.map((member) => [member, [] as number[]]));
  const size = Math.floor(slots / shares.size);
  let larger = slots % shares.size;
  const taken = new Set<number>();
  for (const { slot, member } of byScore([...shares.keys()], slots)) {
    const share = shares.get(member) ?? [];
    if (taken.has(slot) || share.length > size || (share.length === size && larger === 0)) continue;
    if (share.length === size) larger--;
    share.push(slot);
    taken.add(slot);
  }
  return shares;
}

function byScore(members: readonly string[], slots: number) {
  const pairs = members.flatMap((member) =>
    Array.from({ length: slots }, (_, slot) => ({ slot, member, score: hash('sha256', `${slot}/${member}`) })),
  );
  return pairs.toSorted((left, right) => (left.score < right.score ? -1 : 1));
}
