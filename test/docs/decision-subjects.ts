/** The subjects of the index of decisions, with the numbers of their records. Records that are not named here are listed last. */
export const SUBJECTS: Readonly<Record<string, readonly number[]>> = {
  'Events, commits and state': [3, 4, 6, 16, 18, 22, 24, 27, 35, 41, 55, 68, 87, 107],
  'Stores and projections': [5, 14, 21, 25, 26, 65, 66, 79, 85, 86, 103],
  'HTTP and compatibility': [1, 12, 13, 32, 37, 39, 47, 53, 58, 61, 67, 69, 75, 82, 108],
  'Passwords, codes and guessing': [8, 9, 10, 17, 44, 45, 46, 51, 52, 70, 71, 72, 74],
  'Secrets and tokens': [50, 73, 76, 77, 78, 92, 93],
  'SSH keys and file servers': [7, 84, 88, 89, 90, 91, 94, 95, 96, 97, 98, 99, 100, 101, 106],
  'Messages and events': [28, 29, 30, 31],
  'History and logs': [11, 34, 54, 57, 80, 81, 83],
  'Processes and builds': [15, 19, 36, 38, 42, 43, 62, 63, 64, 104, 105],
  'Tests and deployments': [40, 102],
};
