/** Imports a built module without the transforms of the test runner. */
export const load = url => import(url)
