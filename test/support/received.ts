/** What a test of received files does not look at. */
export const RECEIVED = {
  packedSha256: 'packed',
  form: { encoding: 'UTF-8', evidence: null, packing: null, delimiter: ',' },
}
