"""PNG pictures: read, make smaller, write with a palette. For pictures in documents; not fast."""
import struct
import zlib


def read(path):
    """(width, height, rows): rows of bytes, three for each dot, over white."""
    data = open(path, "rb").read()
    at, packed, palette, alphas = 8, b"", b"", b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", body)
        packed += body if kind == b"IDAT" else b""
        palette = body if kind == b"PLTE" else palette
        alphas = body if kind == b"tRNS" else alphas
        at += size + 12
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    if interlace or depth > 8:
        raise ValueError(f"{path}: depth {depth}, interlace {interlace}")
    raw, step = zlib.decompress(packed), max(1, channels * depth // 8)
    length = (width * channels * depth + 7) // 8
    above, rows = bytearray(length), []
    for y in range(height):
        kind, line = raw[y * (length + 1)], bytearray(raw[y * (length + 1) + 1:(y + 1) * (length + 1)])
        unfilter(kind, line, above, step)
        above = line
        rows.append(to_rgb(line, width, depth, colour, palette, alphas))
    return width, height, rows


def unfilter(kind, line, above, step):
    if kind == 1:
        for i in range(step, len(line)):
            line[i] = (line[i] + line[i - step]) & 255
    elif kind == 2:
        for i in range(len(line)):
            line[i] = (line[i] + above[i]) & 255
    elif kind == 3:
        for i in range(len(line)):
            line[i] = (line[i] + ((line[i - step] if i >= step else 0) + above[i]) // 2) & 255
    elif kind == 4:
        for i in range(len(line)):
            a, b, c = line[i - step] if i >= step else 0, above[i], above[i - step] if i >= step else 0
            pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - 2 * c)
            line[i] = (line[i] + (a if pa <= pb and pa <= pc else b if pb <= pc else c)) & 255


def over(v, alpha):
    return (v * alpha + 255 * (255 - alpha)) // 255


def to_rgb(line, width, depth, colour, palette, alphas):
    if depth < 8:
        per, most = 8 // depth, (1 << depth) - 1
        line = bytes((line[x // per] >> (8 - depth * (x % per + 1))) & most for x in range(width))
        if colour == 0:
            line = bytes(v * 255 // most for v in line)
    if colour == 2:
        return bytes(line)
    if colour == 0:
        return bytes(v for g in line for v in (g, g, g))
    if colour == 3:
        colours = [bytes(over(v, alphas[k] if k < len(alphas) else 255) for v in palette[3 * k:3 * k + 3]) for k in range(len(palette) // 3)]
        return b"".join(colours[k] for k in line)
    n = {4: 2, 6: 4}[colour]
    return bytes(over(line[x + (c if n == 4 else 0)], line[x + n - 1]) for x in range(0, width * n, n) for c in range(3))


def smaller(picture, wanted):
    """The picture with this width: every dot is the mean of the area that it covers."""
    width, height, rows = picture
    if width <= wanted:
        return picture
    ratio = width / wanted
    tall = max(1, round(height / ratio))

    def spans(count, size):
        out = []
        for i in range(count):
            low, high = i * size / count, (i + 1) * size / count
            out.append([(k, min(high, k + 1) - max(low, k)) for k in range(int(low), min(size, int(high - 1e-9) + 1))])
        return out

    across = spans(wanted, width)
    narrow = []
    for row in rows:
        line = []
        for span in across:
            for c in range(3):
                line.append(sum(row[3 * k + c] * share for k, share in span))
        narrow.append(line)
    out = []
    for span in spans(tall, height):
        area = ratio * sum(share for _, share in span)
        columns = zip(*(([v * share for v in narrow[k]]) for k, share in span))
        out.append(bytes(min(255, int(sum(c) / area + 0.5)) for c in columns))
    return wanted, tall, out


def cut(picture, top, bottom):
    """The rows from top to bottom, as shares of the height."""
    width, height, rows = picture
    rows = rows[int(top * height):int(bottom * height)]
    return width, len(rows), rows


def palette_of(rows, most):
    """Median cut: boxes of colours are halved until there are enough."""
    counts = {}
    for row in rows:
        for x in range(0, len(row), 3):
            counts[row[x:x + 3]] = counts.get(row[x:x + 3], 0) + 1
    boxes = [list(counts)]

    def spread(box):
        return max((max(v[c] for v in box) - min(v[c] for v in box), c) for c in range(3))

    while len(boxes) < most:
        box = max((b for b in boxes if len(b) > 1), key=lambda b: spread(b)[0] * sum(counts[v] for v in b) ** 0.15, default=None)
        if not box or spread(box)[0] == 0:
            break
        channel = spread(box)[1]
        box.sort(key=lambda v: v[channel])
        middle = (box[0][channel] + box[-1][channel]) / 2
        at = next(i for i, v in enumerate(box) if v[channel] > middle)
        boxes.remove(box)
        boxes += [box[:at], box[at:]]
    colours, index = [], {}
    for box in boxes:
        total = sum(counts[v] for v in box)
        most_used = max(box, key=lambda v: counts[v])
        mean = bytes(round(sum(v[c] * counts[v] for v in box) / total) for c in range(3))
        for v in box:
            index[v] = len(colours)
        colours.append(most_used if counts[most_used] > total / 2 else mean)
    return colours, index


def write(path, picture, colours=32):
    width, height, rows = picture
    palette, index = palette_of(rows, colours)
    depth = 1 if len(palette) <= 2 else 2 if len(palette) <= 4 else 4 if len(palette) <= 16 else 8
    raw = bytearray()
    for row in rows:
        raw.append(0)
        dots = [index[row[x:x + 3]] for x in range(0, len(row), 3)]
        per = 8 // depth
        for x in range(0, width, per):
            byte = 0
            for k, dot in enumerate(dots[x:x + per]):
                byte |= dot << (8 - depth * (k + 1))
            raw.append(byte)

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, 3, 0, 0, 0)) +
                   chunk(b"PLTE", b"".join(palette)) + chunk(b"IDAT", zlib.compress(bytes(raw), 9)) + chunk(b"IEND", b""))
