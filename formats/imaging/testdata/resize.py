"""Writes resize.json: images that Pillow 12.0.0 resized. python resize.py > resize.json

Pillow 13 takes columns before rows if that is less work, which rounds differently.

Byte i of an image of w x h pixels is ((i*i*7919 + i*104729 + w*h) mod 65521) mod 256; for mode RGBa, channels are at most alpha.
"""
import base64
import json
import PIL.Image as Image

FILTERS = [Image.NEAREST, Image.BOX, Image.BILINEAR, Image.HAMMING, Image.BICUBIC, Image.LANCZOS]
SIZES = [((1, 1), (3, 5)), ((1, 7), (4, 3)), ((9, 1), (2, 1)), ((2, 3), (1, 1)), ((13, 11), (5, 4)), ((5, 4), (13, 11)),
         ((16, 12), (8, 6)), ((8, 6), (16, 12)), ((37, 3), (11, 3)), ((6, 50), (6, 7)), ((31, 29), (33, 28)),
         ((19, 17), (19, 17)), ((64, 2), (3, 9)), ((7, 40), (50, 2))]

cases = []
for mode in ["L", "RGBA", "RGBa"]:
    channels = len(mode)
    for (w, h), size in SIZES:
        data = bytearray(((i * i * 7919 + i * 104729 + w * h) % 65521) % 256 for i in range(w * h * channels))
        if mode == "RGBa":
            for i in range(0, len(data), 4):
                for c in range(3):
                    data[i + c] = min(data[i + c], data[i + 3])
        image = Image.frombytes(mode, (w, h), bytes(data))
        for number, f in enumerate(FILTERS):
            out = image.resize(size, f)
            cases.append({"Mode": mode, "From": [w, h], "To": size, "Filter": number,
                          "Want": base64.b64encode(out.tobytes()).decode()})
print("[" + ",\n".join(json.dumps(c) for c in cases) + "]")
