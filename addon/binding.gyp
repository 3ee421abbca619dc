# SPDX-License-Identifier: Apache-2.0
{
  "targets": [
    {
      "target_name": "compass",
      "sources": ["src/binding.c", "src/cache.c", "src/clock.c", "src/emit.c"],
      # In the packed package the headers are beside the sources; in the tree they are the tree's.
      "include_dirs": ["probes", "../probes"],
      "defines": ["_GNU_SOURCE"],
      "cflags": ["-std=gnu17", "-O2", "-Wall", "-Wextra", "-fvisibility=hidden", "-fno-strict-aliasing"],
      # Without symbols the same sources make the same file, wherever they are.
      "ldflags": ["-s"]
    }
  ]
}
