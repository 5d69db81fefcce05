E: mksh: a: inaccessible or not found
